import { join } from 'node:path';
import { slotLogDirectory } from '../../../units/home-files.js';
import { runProgram } from '../../../units/run-program.js';
import { tailLog } from '../../observability/index.js';
import type { UnitSight } from './sights.js';

const LINES = 8;
const JOURNAL_TIMEOUT_MS = 10_000;
/** what s6-log writes before each line (its directive T) */
const STAMP = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ {2}/;

/** What a unit's program printed last, as its manager kept it; nothing where we may not read it. */
export async function readLastWords(unit: UnitSight, home: string): Promise<readonly string[]> {
  if (unit.manager === 's6') {
    const lines = await tailLog(join(slotLogDirectory(home, unit.name), 'current'), LINES);
    return lines.map((line) => line.replace(STAMP, ''));
  }
  if (unit.manager !== 'systemd') return [];
  const mine = unit.scope === 'user' ? '_SYSTEMD_USER_UNIT' : '_SYSTEMD_UNIT';
  const { code, stdout } = await runProgram(
    ['journalctl', `${mine}=${unit.name}`, '-n', String(LINES), '-o', 'cat', '-q', '--no-pager'],
    { timeoutMs: JOURNAL_TIMEOUT_MS },
  );
  return code === 0 ? stdout.split('\n').filter((line) => line !== '') : [];
}
