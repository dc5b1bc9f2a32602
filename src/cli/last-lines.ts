import { profileLayout } from '../config/paths.js';
import type { Death } from '../core/death.js';
import { currentLogPath, type LogLine, parseLogLine, tailLog } from '../observability/index.js';

const READ_LINES = 200;
const SHOWN_LINES = 8;
/** the log's clock starts with the line, the death's with the process */
const SLACK_MS = 1000;

/** What a run that is over printed last, from its log: works without a supervisor too. */
export async function readLastLines(
  home: string,
  name: string,
  death: Death | undefined,
): Promise<readonly string[]> {
  const lines = await tailLog(currentLogPath(profileLayout(home, name).logDir), READ_LINES);
  const parsed = lines.map(parseLogLine).filter((line) => line !== undefined);
  return chooseLastLines(parsed, death);
}

/** Its stderr, or its stdout where stderr is empty; nothing of an earlier run. */
export function chooseLastLines(
  lines: readonly LogLine[],
  death: Death | undefined,
): readonly string[] {
  const sinceMs = death === undefined ? 0 : death.at - death.uptimeMs - SLACK_MS;
  const ofRun = lines.filter((line) => line.at >= sinceMs);
  const errors = ofRun.filter((line) => line.stream === 'err');
  const chosen = errors.length > 0 ? errors : ofRun.filter((line) => line.stream === 'out');
  return chosen.slice(-SHOWN_LINES).map((line) => line.text);
}
