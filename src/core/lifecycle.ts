/**
 * A profile's life as one total table, state × event (design §5). Nothing else writes the
 * state; a cell that does nothing says so. What an operator wants ("desired") is not in here:
 * a signal sends the same events as a verb and changes no desire.
 */

const STATES = [
  'stopped',
  'starting',
  'ready',
  'degraded',
  'draining',
  'backoff',
  'parked',
  'served',
] as const;
export type ProfileState = (typeof STATES)[number];
export const PROFILE_STATES: readonly ProfileState[] = STATES;

const EVENTS = [
  'start',
  'stop',
  'restart',
  'ready',
  'degrade',
  'recover',
  'died-rest',
  'died-restart',
  'died-backoff',
  'died-park',
  'due',
  'inputs-changed',
  'serve',
] as const;
export type LifecycleEvent = (typeof EVENTS)[number];
export const LIFECYCLE_EVENTS: readonly LifecycleEvent[] = EVENTS;

/** What the supervisor does on entering a cell; each is one effect, in this order. */
export type LifecycleAction =
  /** forget the deaths that back-off and budget count: an operator's start clears everything */
  | 'clear-deaths'
  /** stop waiting for a back-off or a probe */
  | 'disarm'
  /** wait for the back-off or the probe that the verdict named */
  | 'arm'
  /** take a start slot and spawn the next generation */
  | 'spawn'
  /** the same, as the half-open try of a parked profile */
  | 'spawn-probe'
  /** ask the generation to drain and end, for good */
  | 'drain-to-stop'
  /** ask it to drain and end, to be started again */
  | 'drain-to-restart'
  /** it is draining already: only change what follows its death */
  | 'then-stop'
  | 'then-restart';

export interface Step {
  readonly to: ProfileState;
  readonly actions: readonly LifecycleAction[];
}

const ignore = 'ignore' as const;
type Cell = Step | typeof ignore;

function go(to: ProfileState, ...actions: LifecycleAction[]): Step {
  return { to, actions };
}

/** How a death is followed wherever a generation can die. */
const DEATHS = {
  'died-rest': go('stopped'),
  'died-restart': go('starting', 'spawn'),
  'died-backoff': go('backoff', 'arm'),
  'died-park': go('parked', 'arm'),
} as const;

/** No generation is alive, so these can only be late or foreign. */
const NOTHING_ALIVE = {
  ready: ignore,
  degrade: ignore,
  recover: ignore,
  'died-rest': ignore,
  'died-restart': ignore,
  'died-backoff': ignore,
  'died-park': ignore,
} as const;

export const LIFECYCLE = {
  stopped: {
    ...NOTHING_ALIVE,
    start: go('starting', 'clear-deaths', 'spawn'),
    stop: ignore,
    restart: go('starting', 'clear-deaths', 'spawn'),
    due: ignore,
    'inputs-changed': ignore,
    serve: ignore,
  },
  starting: {
    ...DEATHS,
    start: ignore,
    stop: go('draining', 'drain-to-stop'),
    restart: go('draining', 'drain-to-restart'),
    ready: go('ready'),
    degrade: ignore,
    recover: ignore,
    due: ignore,
    'inputs-changed': ignore,
    serve: go('served'),
  },
  ready: {
    ...DEATHS,
    start: ignore,
    stop: go('draining', 'drain-to-stop'),
    restart: go('draining', 'drain-to-restart'),
    ready: ignore,
    degrade: go('degraded'),
    recover: ignore,
    due: ignore,
    'inputs-changed': ignore,
    serve: ignore,
  },
  degraded: {
    ...DEATHS,
    start: ignore,
    stop: go('draining', 'drain-to-stop'),
    restart: go('draining', 'drain-to-restart'),
    ready: ignore,
    degrade: ignore,
    recover: go('ready'),
    due: ignore,
    'inputs-changed': ignore,
    serve: go('served'),
  },
  draining: {
    ...DEATHS,
    start: go('draining', 'then-restart'),
    stop: go('draining', 'then-stop'),
    restart: go('draining', 'then-restart'),
    ready: ignore,
    degrade: ignore,
    recover: ignore,
    due: ignore,
    'inputs-changed': ignore,
    serve: ignore,
  },
  backoff: {
    ...NOTHING_ALIVE,
    start: go('starting', 'disarm', 'clear-deaths', 'spawn'),
    stop: go('stopped', 'disarm'),
    restart: go('starting', 'disarm', 'clear-deaths', 'spawn'),
    due: go('starting', 'spawn'),
    'inputs-changed': go('starting', 'disarm', 'spawn'),
    serve: ignore,
  },
  parked: {
    ...NOTHING_ALIVE,
    start: go('starting', 'disarm', 'clear-deaths', 'spawn'),
    stop: go('stopped', 'disarm'),
    restart: go('starting', 'disarm', 'clear-deaths', 'spawn'),
    due: go('starting', 'spawn-probe'),
    'inputs-changed': go('starting', 'disarm', 'spawn'),
    serve: ignore,
  },
  // a `ready` inside of the default profile's process
  served: {
    ...DEATHS,
    start: ignore,
    stop: go('draining', 'drain-to-stop'),
    restart: go('draining', 'drain-to-restart'),
    ready: ignore,
    degrade: go('degraded'),
    recover: ignore,
    due: ignore,
    'inputs-changed': ignore,
    serve: ignore,
  },
} as const satisfies Record<ProfileState, Record<LifecycleEvent, Cell>>;

/** The next step, or undefined where the table says to ignore the event. */
export function nextStep(state: ProfileState, event: LifecycleEvent): Step | undefined {
  const cell: Cell = LIFECYCLE[state][event];
  return cell === ignore ? undefined : cell;
}

/** States in which a gateway of the profile may be alive: its own process, or a part of another. */
export function hasGeneration(state: ProfileState): boolean {
  return ALIVE.has(state);
}

const ALIVE: ReadonlySet<ProfileState> = new Set([
  'starting',
  'ready',
  'degraded',
  'draining',
  'served',
]);
