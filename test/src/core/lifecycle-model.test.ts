import fc from 'fast-check';
import t from 'tap';
import {
  hasGeneration,
  LIFECYCLE_EVENTS,
  type LifecycleEvent,
  nextStep,
  type ProfileState,
} from '../../../src/core/lifecycle.js';

/**
 * The outside world of one profile: processes and a timer, moved only by the table's actions.
 * It throws where an action makes no sense in the world as it is.
 */
class World {
  state: ProfileState = 'stopped';
  alive = 0;
  armed = false;
  after: 'stop' | 'restart' | undefined;

  apply(event: LifecycleEvent): void {
    if (!this.#canHappen(event)) return;
    if (event.startsWith('died-')) this.#bury();
    if (event === 'due') this.armed = false;
    const step = nextStep(this.state, event);
    if (step === undefined) return;
    for (const action of step.actions) this.#effects[action]();
    this.state = step.to;
  }

  /** A death needs a process and a timer needs to be armed; anything else may come any time. */
  #canHappen(event: LifecycleEvent): boolean {
    if (event.startsWith('died-')) return this.alive > 0;
    return event !== 'due' || this.armed;
  }

  #bury(): void {
    this.alive--;
    this.after = undefined;
  }

  #spawn(): void {
    if (this.alive > 0) throw new Error('two generations at once');
    if (this.armed) throw new Error('a timer that will spawn again');
    this.alive++;
  }

  #drain(after: 'stop' | 'restart'): void {
    if (this.alive === 0) throw new Error('nothing to drain');
    this.after = after;
  }

  #redirect(after: 'stop' | 'restart'): void {
    if (this.after === undefined) throw new Error('it does not drain');
    this.after = after;
  }

  readonly #effects = {
    'clear-deaths': () => {},
    disarm: () => {
      this.armed = false;
    },
    arm: () => {
      if (this.armed) throw new Error('armed twice');
      this.armed = true;
    },
    spawn: () => this.#spawn(),
    'spawn-probe': () => this.#spawn(),
    'drain-to-stop': () => this.#drain('stop'),
    'drain-to-restart': () => this.#drain('restart'),
    'then-stop': () => this.#redirect('stop'),
    'then-restart': () => this.#redirect('restart'),
  };
}

const anyEvents = fc.array(fc.constantFrom(...LIFECYCLE_EVENTS), { maxLength: 60 });

function worldAfter(events: readonly LifecycleEvent[]): World {
  const world = new World();
  for (const event of events) world.apply(event);
  return world;
}

t.test('whatever happens, the state tells how many generations are alive', async (t) => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      const world = worldAfter(events);
      return world.alive === (hasGeneration(world.state) ? 1 : 0);
    }),
    { numRuns: 2000 },
  );
  t.pass('in 2000 histories');
});

t.test('whatever happened, a timer runs only while something waits for it', async (t) => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      const world = worldAfter(events);
      return !world.armed || world.state === 'backoff' || world.state === 'parked';
    }),
    { numRuns: 2000 },
  );
  t.pass('in 2000 histories');
});

/** What follows the death at the end of a drain: what was asked last decides the verdict. */
function finishDrain(world: World): void {
  if (world.state !== 'draining') return;
  world.apply(world.after === 'restart' ? 'died-restart' : 'died-rest');
}

t.test('from any history, start brings a profile up', async (t) => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      const world = worldAfter(events);
      world.apply('start');
      finishDrain(world);
      return world.alive === 1;
    }),
    { numRuns: 2000 },
  );
  t.pass('in 2000 histories');
});

t.test('from any history, stop brings a profile down and it stays down', async (t) => {
  const noise = fc.array(
    fc.constantFrom<LifecycleEvent>('due', 'inputs-changed', 'ready', 'degrade', 'serve'),
  );
  fc.assert(
    fc.property(anyEvents, noise, (events, later) => {
      const world = worldAfter(events);
      world.apply('stop');
      finishDrain(world);
      for (const event of later) world.apply(event);
      return world.state === 'stopped' && world.alive === 0;
    }),
    { numRuns: 2000 },
  );
  t.pass('in 2000 histories');
});

t.test('opposite verbs during one drain: the last one decides', async (t) => {
  const verbs = fc.array(fc.constantFrom<LifecycleEvent>('start', 'stop', 'restart'), {
    minLength: 1,
  });
  fc.assert(
    fc.property(verbs, (asked) => {
      const world = worldAfter(['start', 'ready', 'stop', ...asked]);
      finishDrain(world);
      return (world.alive === 1) === (asked.at(-1) !== 'stop');
    }),
  );
  t.pass('whatever came before');
});
