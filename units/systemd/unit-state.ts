import { EXIT_CLASSES } from '../../src/core/exit-codes.js';

/** What systemd says about a unit; pure reading of `systemctl show`. */
export interface UnitState {
  /** loaded, not-found, masked, … */
  readonly load: string;
  /** active, activating, reloading, deactivating, inactive, failed */
  readonly active: string;
  /** running, auto-restart, stop-sigterm, dead, … */
  readonly sub: string;
  readonly mainPid: number | undefined;
  /** success, exit-code, signal, watchdog, timeout, start-limit-hit, … */
  readonly result: string;
  /** how the last main process ended; undefined: it was a signal, or there was none */
  readonly exitCode: number | undefined;
  readonly signal: number | undefined;
  readonly restarts: number;
  /** the file was changed since systemd read it */
  readonly needsReload: boolean;
  /** enabled, disabled, … */
  readonly fileState: string;
  /** the file that it comes from; undefined: none */
  readonly path: string | undefined;
}

export const SHOWN_PROPERTIES = [
  'LoadState',
  'ActiveState',
  'SubState',
  'MainPID',
  'Result',
  'ExecMainCode',
  'ExecMainStatus',
  'NRestarts',
  'NeedDaemonReload',
  'UnitFileState',
  'FragmentPath',
] as const;

/** Of wait(2), as systemd prints it. */
const CLD_EXITED = '1';

export function parseUnitState(text: string): UnitState {
  const values = new Map(
    text.split('\n').map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)] as const;
    }),
  );
  const value = (name: (typeof SHOWN_PROPERTIES)[number]) => values.get(name) ?? '';
  const status = Number.parseInt(value('ExecMainStatus'), 10);
  const code = value('ExecMainCode');
  const pid = Number.parseInt(value('MainPID'), 10);
  return {
    load: value('LoadState'),
    active: value('ActiveState'),
    sub: value('SubState'),
    mainPid: pid > 0 ? pid : undefined,
    result: value('Result'),
    exitCode: code === CLD_EXITED ? status : undefined,
    signal: code !== CLD_EXITED && code !== '0' && code !== '' ? status : undefined,
    restarts: Number.parseInt(value('NRestarts'), 10) || 0,
    needsReload: value('NeedDaemonReload') === 'yes',
    fileState: value('UnitFileState'),
    path: value('FragmentPath') || undefined,
  };
}

/** In one clause: `failed, exit 78 (config)`. */
export function describeUnitState(state: UnitState): string {
  if (state.load === 'not-found') return 'not installed';
  const place = state.sub === state.active || state.sub === '' ? '' : ` (${state.sub})`;
  const pid = state.mainPid === undefined ? '' : `, pid ${state.mainPid}`;
  return `${state.active}${place}${pid}${describeEnd(state)}`;
}

function describeEnd(state: UnitState): string {
  if (state.mainPid !== undefined) return '';
  if (state.signal !== undefined) return `, ended by signal ${state.signal}`;
  if (state.exitCode === undefined) return '';
  const name = Object.entries(EXIT_CLASSES).find(([, row]) => row.code === state.exitCode)?.[0];
  return `, exit ${state.exitCode}${name === undefined ? '' : ` (${name})`}`;
}
