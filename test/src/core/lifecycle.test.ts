import t from 'tap';
import {
  hasGeneration,
  LIFECYCLE,
  LIFECYCLE_EVENTS,
  type LifecycleAction,
  nextStep,
  PROFILE_STATES,
  type ProfileState,
} from '../../../src/core/lifecycle.js';

const CELLS = PROFILE_STATES.flatMap((from) =>
  LIFECYCLE_EVENTS.map((event) => ({ from, event, step: nextStep(from, event) })),
);

const spawns = (actions: readonly LifecycleAction[]): boolean =>
  actions.includes('spawn') || actions.includes('spawn-probe');
const drains = (actions: readonly LifecycleAction[]): boolean =>
  actions.includes('drain-to-stop') || actions.includes('drain-to-restart');
const redirects = (actions: readonly LifecycleAction[]): boolean =>
  actions.includes('then-stop') || actions.includes('then-restart');

/** States that wait on a timer: a back-off, or the probe of a parked profile. */
const WAITING: readonly ProfileState[] = ['backoff', 'parked'];
const ALIVE = PROFILE_STATES.filter(hasGeneration);
const DEAD = PROFILE_STATES.filter((state) => !hasGeneration(state));

function brokenCells(isBroken: (cell: (typeof CELLS)[number]) => boolean): string[] {
  return CELLS.filter(isBroken).map(({ from, event }) => `${from} × ${event}`);
}

t.test('every cell is written: 8 states × 13 events, and no event beyond', async (t) => {
  t.equal(CELLS.length, 104);
  for (const state of PROFILE_STATES) {
    t.strictSame(Object.keys(LIFECYCLE[state]).sort(), [...LIFECYCLE_EVENTS].sort(), state);
  }
});

t.test('a dead state becomes a live one only by a spawn', async (t) => {
  t.strictSame(
    brokenCells(
      ({ from, step }) =>
        step !== undefined &&
        !hasGeneration(from) &&
        hasGeneration(step.to) &&
        !spawns(step.actions),
    ),
    [],
  );
});

t.test('every way into starting spawns, and nothing else does', async (t) => {
  t.strictSame(
    brokenCells(
      ({ step }) => step !== undefined && (step.to === 'starting') !== spawns(step.actions),
    ),
    [],
  );
});

t.test('a spawn happens only when nothing is alive, or upon a death', async (t) => {
  t.strictSame(
    brokenCells(
      ({ from, event, step }) =>
        step !== undefined &&
        spawns(step.actions) &&
        hasGeneration(from) &&
        !event.startsWith('died-'),
    ),
    [],
  );
});

t.test('a drain begins only where something is alive, and once', async (t) => {
  t.strictSame(
    brokenCells(
      ({ from, step }) =>
        step !== undefined &&
        drains(step.actions) &&
        (!hasGeneration(from) || from === 'draining' || step.to !== 'draining'),
    ),
    [],
  );
  t.strictSame(
    brokenCells(
      ({ from, step }) => step !== undefined && redirects(step.actions) && from !== 'draining',
    ),
    [],
    'what follows a drain is only changed while it drains',
  );
});

t.test('a live state is left for a dead one only by a death', async (t) => {
  t.strictSame(
    brokenCells(
      ({ from, event, step }) =>
        step !== undefined &&
        hasGeneration(from) &&
        !hasGeneration(step.to) &&
        !event.startsWith('died-'),
    ),
    [],
  );
});

t.test('whoever leaves a waiting state by anything but its timer stops the timer', async (t) => {
  t.strictSame(
    brokenCells(
      ({ from, event, step }) =>
        step !== undefined &&
        WAITING.includes(from) &&
        event !== 'due' &&
        !step.actions.includes('disarm'),
    ),
    [],
  );
  t.strictSame(
    brokenCells(
      ({ step }) =>
        step !== undefined && WAITING.includes(step.to) !== step.actions.includes('arm'),
    ),
    [],
    'and whoever enters one starts it',
  );
});

t.test('a death is followed alike in every live state and ignored in every dead one', async (t) => {
  for (const event of LIFECYCLE_EVENTS.filter((one) => one.startsWith('died-'))) {
    for (const state of ALIVE) t.strictSame(nextStep(state, event), nextStep('ready', event));
    for (const state of DEAD) t.equal(nextStep(state, event), undefined, `${state} × ${event}`);
  }
});

t.test('no action stands twice in a cell, and clearing comes before spawning', async (t) => {
  t.strictSame(
    brokenCells(({ step }) => {
      if (step === undefined) return false;
      const { actions } = step;
      const clear = actions.indexOf('clear-deaths');
      return new Set(actions).size !== actions.length || clear > actions.indexOf('spawn');
    }),
    [],
  );
});

t.test('start works in every state: it starts, is on its way, or is there already', async (t) => {
  for (const state of PROFILE_STATES) {
    const step = nextStep(state, 'start');
    if (hasGeneration(state) && state !== 'draining') {
      t.equal(step, undefined, `${state}: nothing to do`);
    } else if (state === 'draining') {
      t.strictSame(step, { to: 'draining', actions: ['then-restart'] });
    } else {
      t.equal(step?.to, 'starting', state);
      t.ok(step?.actions.includes('clear-deaths'), `${state}: an operator clears everything`);
    }
  }
});

t.test('restart works in every state too, and stop ends in stopped from each', async (t) => {
  for (const state of PROFILE_STATES) {
    t.match(nextStep(state, 'restart')?.to, /^(starting|draining)$/, `restart in ${state}`);
    const stop = nextStep(state, 'stop');
    if (state === 'stopped') t.equal(stop, undefined);
    else t.match(stop?.to, hasGeneration(state) ? 'draining' : 'stopped', `stop in ${state}`);
  }
});

t.test(
  'a served profile lives and dies as a ready one, and gets well as a served one',
  async (t) => {
    for (const event of LIFECYCLE_EVENTS) {
      t.strictSame(nextStep('served', event), nextStep('ready', event), event);
    }
    t.strictSame(nextStep('starting', 'serve'), { to: 'served', actions: [] });
    t.strictSame(nextStep('degraded', 'serve'), { to: 'served', actions: [] });
  },
);

t.test(
  'changed inputs try again what is down for a fault, and nothing that is wanted down',
  async (t) => {
    t.strictSame(
      PROFILE_STATES.filter((state) => nextStep(state, 'inputs-changed') !== undefined),
      ['backoff', 'parked'],
    );
  },
);

t.test('exactly these states have a gateway that may live', async (t) => {
  t.strictSame(ALIVE, ['starting', 'ready', 'degraded', 'draining', 'served']);
});
