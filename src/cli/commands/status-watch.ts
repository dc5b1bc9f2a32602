import { renderError } from '../../core/errors.js';
import { STATUS_EXIT } from '../../core/exit-codes.js';
import { judgeStatus, type StatusReport } from '../../core/status.js';
import { reach, unreachable } from '../control/reach.js';
import { onInterrupt, pause } from '../interrupt.js';
import { renderStatus } from '../render/status-table.js';
import { type Context, hasFlag, type Invocation } from '../verb.js';
import { selectProfiles, viewOf } from './status.js';

const REFRESH_MS = 1000;
const CLEAR_SCREEN = '\u001b[H\u001b[2J\u001b[3J';

/**
 * In a terminal the picture is redrawn every second; elsewhere it is printed again whenever
 * something other than CPU and memory changed. A supervisor that goes away is waited for.
 */
export async function watchStatus(invocation: Invocation, context: Context): Promise<number> {
  const { signal, release } = onInterrupt();
  const { terminal } = context;
  const isLive = terminal.outIsTty && !hasFlag(invocation, 'json');
  let last = '';
  let code: number = STATUS_EXIT.noSupervisor;
  try {
    while (!signal.aborted) {
      const frame = await takeFrame(invocation, context);
      code = frame.code;
      if (isLive) terminal.write(`${CLEAR_SCREEN}${frame.text}\n`);
      else if (frame.essence !== last) terminal.out(frame.text);
      last = frame.essence;
      await pause(REFRESH_MS, signal);
    }
  } finally {
    release();
  }
  return code;
}

interface Frame {
  readonly text: string;
  /** equal essences are the same news */
  readonly essence: string;
  readonly code: number;
}

async function takeFrame(invocation: Invocation, context: Context): Promise<Frame> {
  const isJson = hasFlag(invocation, 'json');
  const found = await reach(context.home, context.env);
  if (found.kind !== 'answers') {
    const error = unreachable(found, context.home);
    const { code, message, next } = error;
    const body = JSON.stringify({ supervisor: null, error: { code, message, next }, profiles: [] });
    return {
      text: isJson ? body : renderError(error),
      essence: code,
      code: STATUS_EXIT.noSupervisor,
    };
  }
  const report = selectProfiles(found.report, invocation.words);
  return {
    text: isJson ? JSON.stringify(report) : renderStatus(report, viewOf(context)),
    essence: essenceOf(report),
    code: STATUS_EXIT[judgeStatus(report)],
  };
}

function essenceOf(report: StatusReport): string {
  return JSON.stringify(report, (key, value) => (key === 'resources' ? undefined : value));
}
