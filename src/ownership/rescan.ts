import { parseToChat } from '../core/local-protocol.js';
import { DEFAULT_PROFILE } from '../core/names.js';
import { livenessOfOwner } from '../store/place.js';
import { dialGateway } from './dial-gateway.js';
import { readRecordOf } from './live-record.js';

/** It reads its configuration anew before it answers (spec/supervision.md 4.3). */
const RESCAN_MS = 8000;

/**
 * Tells the live gateway of the default profile to look again whom it serves. What came of it is
 * in its record afterwards; one that does not answer, or may not decide that, has not changed it.
 */
export async function askRescan(home: string, timeoutMs = RESCAN_MS): Promise<void> {
  const record = readRecordOf(home, DEFAULT_PROFILE);
  // only a process that is proven to be the owner is dialled
  if (record?.socket === undefined || livenessOfOwner(record.owner) !== 'alive') return;
  const say = { code: 'rescan' } as const;
  await dialGateway(record.socket, { say, timeoutMs, hear: (line) => isAnswer(line) || undefined });
}

function isAnswer(line: string): boolean {
  const parsed = parseToChat(line);
  if (parsed.kind === 'broken') return false;
  return parsed.message.code === 'rescanned' || parsed.message.code === 'error';
}
