/**
 * The exit-code contract: the only place where these digits stand.
 * Generators, guards, finish scripts, docs and tests interpolate the names (design §4).
 */

/** Whose fault an exit class is; decides how loudly and to whom it is told. */
export type ExitFault = 'nobody' | 'system' | 'operator' | 'bug';

/** What a parent does on seeing the code. */
export type SupervisorAnswer = 'rest' | 'restart-now' | 'back-off' | 'park';
export type ManagerAnswer = 'stay-down' | 'restart' | 'restart-uncounted' | 'prevent';

interface ExitRow {
  readonly code: number;
  readonly sysexits: string | undefined;
  readonly meaning: string;
  readonly fault: ExitFault;
  readonly supervisor: SupervisorAnswer;
  readonly systemd: ManagerAnswer;
  readonly s6Finish: 'permanent' | 'restart';
  readonly launchd: 'restart';
}

export const EXIT_CLASSES = {
  done: {
    code: 0,
    sysexits: 'EX_OK',
    meaning: 'it was asked to stop, or its operator command ended it',
    fault: 'nobody',
    supervisor: 'rest',
    systemd: 'stay-down',
    s6Finish: 'permanent',
    launchd: 'restart',
  },
  failure: {
    code: 1,
    sysexits: undefined,
    meaning: 'it could not run; the cause may pass',
    fault: 'system',
    supervisor: 'back-off',
    systemd: 'restart',
    s6Finish: 'restart',
    launchd: 'restart',
  },
  usage: {
    code: 64,
    sysexits: 'EX_USAGE',
    meaning: 'bad arguments',
    fault: 'operator',
    supervisor: 'park',
    systemd: 'prevent',
    s6Finish: 'permanent',
    launchd: 'restart',
  },
  bug: {
    code: 70,
    sysexits: 'EX_SOFTWARE',
    meaning: 'an invariant broke; the evidence is kept',
    fault: 'bug',
    supervisor: 'back-off',
    systemd: 'restart',
    s6Finish: 'restart',
    launchd: 'restart',
  },
  planned: {
    code: 75,
    sysexits: 'EX_TEMPFAIL',
    meaning: 'planned restart: it has drained and wants to be started again',
    fault: 'nobody',
    supervisor: 'restart-now',
    systemd: 'restart-uncounted',
    s6Finish: 'restart',
    launchd: 'restart',
  },
  config: {
    code: 78,
    sysexits: 'EX_CONFIG',
    meaning: 'configuration: no retry can help',
    fault: 'operator',
    supervisor: 'park',
    systemd: 'prevent',
    s6Finish: 'permanent',
    launchd: 'restart',
  },
} as const satisfies Record<string, ExitRow>;

export type ExitClass = keyof typeof EXIT_CLASSES;

/** Name to number, for `process.exitCode = EXIT.config`. */
export const EXIT = Object.freeze(
  Object.fromEntries(Object.entries(EXIT_CLASSES).map(([name, row]) => [name, row.code])),
) as { readonly [Name in ExitClass]: (typeof EXIT_CLASSES)[Name]['code'] };

/** What the command line answers when it is not the gateway itself (design §4). */
export const CLI_EXIT = Object.freeze({
  /** done as asked, and observed */
  done: EXIT.done,
  failed: EXIT.failure,
  /** not finished yet: still starting or still draining when the wait ended */
  unfinished: 2,
  usage: EXIT.usage,
  /** refused by configuration */
  refused: EXIT.config,
});

/** What `gatewarden status` answers. */
export const STATUS_EXIT = Object.freeze({
  /** every desired profile is ready */
  ready: 0,
  /** some are degraded, starting or backing off */
  degraded: 1,
  /** some are down or parked */
  down: 3,
  /** no supervisor answers */
  noSupervisor: 4,
});

/** The class of a plain exit code; codes outside the contract count as `failure`. */
export function classifyExitCode(code: number): ExitClass {
  for (const [name, row] of Object.entries(EXIT_CLASSES)) {
    if (row.code === code) return name as ExitClass;
  }
  return 'failure';
}
