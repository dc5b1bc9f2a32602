import fc from 'fast-check';
import t from 'tap';
import {
  ABANDON_CAUSES,
  type AbandonCause,
  type OwnedProcess,
  planReap,
  type TurnClaim,
} from '../../../../src/gateway/processes/plan-reap.js';
import { type OpenTurn, TurnClaims } from '../../../../src/gateway/processes/turn-claims.js';

const CLAIM: TurnClaim = {
  turnId: 't1',
  sessionId: 's1',
  generation: 2,
  baseline: new Set(['before']),
  owns: true,
};
const OWNER = { turnId: 't1', sessionId: 's1', generation: 2 };
const MINE: OwnedProcess = {
  id: 'mine',
  owner: OWNER,
  persistOnRelease: false,
  isRunning: true,
};

function reaped(process: Partial<OwnedProcess>, claim: Partial<TurnClaim> = {}): boolean {
  const processes = [{ ...MINE, ...process }];
  return planReap({ claim: { ...CLAIM, ...claim }, cause: 'caller-left', processes }).length > 0;
}

t.test('an abandoned turn takes along exactly what it started and still runs', async (t) => {
  t.equal(reaped({}), true);
  t.equal(reaped({ isRunning: false }), false, 'it is over');
  t.equal(reaped({ id: 'before' }), false, 'it was there before the turn');
  t.equal(reaped({ owner: undefined }), false, 'nobody owns it');
  t.equal(reaped({ owner: { ...OWNER, turnId: 't2' } }), false, 'another turn');
  t.equal(reaped({ owner: { ...OWNER, sessionId: 's2' } }), false, 'another session');
  t.equal(reaped({ owner: { ...OWNER, generation: 3 } }), false, 'a newer run of the session');
  t.equal(reaped({}, { owns: false }), false, 'its worker has returned');
});

t.test('a blank owner owns nothing', async (t) => {
  const owner = { ...OWNER, turnId: '' };
  t.equal(reaped({ owner }, { turnId: '' }), false);
  t.equal(reaped({ owner: { ...OWNER, sessionId: '' } }, { sessionId: '' }), false);
});

t.test('what is meant to outlive its turn does, unless somebody says stop', async (t) => {
  const processes = [{ ...MINE, persistOnRelease: true }];
  const taken = ABANDON_CAUSES.filter(
    (cause) => planReap({ claim: CLAIM, cause, processes }).length > 0,
  );
  t.strictSame(taken, ['stop']);
});

/** A gateway in which the test decides what happens next. */
class World {
  readonly processes = new Map<string, OwnedProcess & { readonly startedBy: string }>();
  readonly open = new Map<string, OpenTurn>();
  readonly over: OpenTurn[] = [];
  readonly wrong: string[] = [];
  abandoned: { readonly turnId: string; readonly cause: AbandonCause } | undefined;
  #count = 0;
  readonly claims = new TurnClaims({
    processes: () => [...this.processes.values()],
    reap: (ids) => {
      for (const id of ids) this.#end(id);
    },
  });

  begin(sessionId: string): void {
    const origin = { sessionKey: sessionId, sessionId, platform: 'local', chatId: undefined };
    const turn = this.claims.begin(`turn-${++this.#count}`, origin);
    this.open.set(turn.owner.turnId, turn);
  }

  start(turn: OpenTurn, persistOnRelease: boolean): void {
    const { turnId } = turn.owner;
    // what the registry does: no open turn, no process
    if (this.claims.find(turnId) !== turn) return;
    const id = `process-${++this.#count}`;
    const fresh = { id, owner: turn.owner, persistOnRelease, isRunning: true, startedBy: turnId };
    this.processes.set(id, fresh);
  }

  exit(index: number): void {
    const running = [...this.processes.values()].filter(({ isRunning }) => isRunning);
    const process = running[index % Math.max(1, running.length)];
    if (process !== undefined) this.processes.set(process.id, { ...process, isRunning: false });
  }

  complete(turn: OpenTurn): void {
    turn.release();
    this.open.delete(turn.owner.turnId);
    this.over.push(turn);
  }

  abandon(turn: OpenTurn, cause: AbandonCause): void {
    const { turnId } = turn.owner;
    const wasOpen = this.open.get(turnId) === turn;
    this.abandoned = wasOpen ? { turnId, cause } : undefined;
    turn.abandon(cause);
    this.open.delete(turnId);
    this.over.push(turn);
    const left = [...this.processes.values()].filter(
      (one) => one.isRunning && one.startedBy === turnId && !one.persistOnRelease,
    );
    if (wasOpen && left.length > 0) this.wrong.push(`${turnId} left ${left[0]?.id} behind`);
    this.abandoned = undefined;
  }

  #end(id: string): void {
    const process = this.processes.get(id);
    const { abandoned } = this;
    const isRight =
      process?.isRunning === true &&
      process.startedBy === abandoned?.turnId &&
      (!process.persistOnRelease || abandoned.cause === 'stop');
    if (!isRight) this.wrong.push(`${id} of ${process?.startedBy} by ${abandoned?.turnId}`);
    if (process !== undefined) this.processes.set(id, { ...process, isRunning: false });
  }
}

const pick = fc.nat(50);
const STEP = fc.oneof(
  fc.record({ kind: fc.constant('begin' as const), session: fc.nat(2) }),
  fc.record({ kind: fc.constant('start' as const), pick, persist: fc.boolean() }),
  // also by a worker that does not know yet that its turn was given up
  fc.record({ kind: fc.constant('late-start' as const), pick }),
  fc.record({ kind: fc.constant('exit' as const), pick }),
  fc.record({ kind: fc.constant('complete' as const), pick }),
  fc.record({
    kind: fc.constant('abandon' as const),
    pick,
    cause: fc.constantFrom(...ABANDON_CAUSES),
  }),
  // /stop right after the end, or a client that leaves after its answer
  fc.record({
    kind: fc.constant('late-abandon' as const),
    pick,
    cause: fc.constantFrom(...ABANDON_CAUSES),
  }),
);
type Step = typeof STEP extends fc.Arbitrary<infer One> ? One : never;

function at<Item>(items: Iterable<Item>, index: number): Item | undefined {
  const list = [...items];
  return list[index % Math.max(1, list.length)];
}

function take(world: World, step: Step): void {
  const open = 'pick' in step ? at(world.open.values(), step.pick) : undefined;
  const over = 'pick' in step ? at(world.over, step.pick) : undefined;
  if (step.kind === 'begin') world.begin(`session-${step.session}`);
  if (step.kind === 'exit') world.exit(step.pick);
  if (step.kind === 'start' && open) world.start(open, step.persist);
  if (step.kind === 'complete' && open) world.complete(open);
  if (step.kind === 'abandon' && open) world.abandon(open, step.cause);
  if (step.kind === 'late-start' && over) world.start(over, false);
  if (step.kind === 'late-abandon' && over) world.abandon(over, step.cause);
}

t.test('in any order of events nothing outside the abandoned turn is ever ended', async (t) => {
  fc.assert(
    fc.property(fc.array(STEP, { minLength: 1, maxLength: 60 }), (steps) => {
      const world = new World();
      for (const step of steps) take(world, step);
      if (world.wrong.length > 0) throw new Error(world.wrong.join('; '));
    }),
    { numRuns: 500 },
  );
  t.pass('500 worlds');
});

t.test('turns leave nothing behind in the book of claims', async (t) => {
  const world = new World();
  for (let round = 0; round < 100; round++) {
    world.begin('s');
    const [turn] = world.open.values();
    if (turn === undefined) throw new Error('no turn');
    if (round % 2 === 0) world.complete(turn);
    else world.abandon(turn, 'new');
    t.equal(world.claims.find(turn.owner.turnId), undefined);
  }
});
