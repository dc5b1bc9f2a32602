import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { lineDiff } from '../../../units/line-diff.js';
import type { Write } from '../../../units/plan.js';
import { wantedBy } from '../../../units/systemd/policy.js';
import { CLI_EXIT } from '../../core/exit-codes.js';
import { type Context, hasFlag, type Invocation } from '../verb.js';
import { managerOf } from './choose-manager.js';
import { findDrift, isCurrent, pathsOf } from './current.js';
import { refuseAllForeign } from './guards.js';
import { heldDown } from './held-down.js';
import { renderMode } from './print.js';
import { readTarget, type Target } from './target.js';
import { type Wanted, wantedUnits } from './wanted.js';

/** What install would change; exits with 1 when that is anything, with 78 when it would refuse. */
export async function diff(invocation: Invocation, context: Context): Promise<number> {
  const { env, terminal } = context;
  const target = await readTarget(invocation, context);
  const wanted = wantedUnits(target, env, '/bin/sh');
  refuseAllForeign(target, wanted);
  const drift = findDrift(target, wanted);
  const held = await heldDown(target, managerOf(target, env));
  const writes = [...drift.units, ...drift.home];
  const asleep = notEnabled(target, wanted);
  const current = isCurrent(drift) && held.length === 0 && asleep.length === 0;
  const code = current ? CLI_EXIT.done : CLI_EXIT.failed;
  if (hasFlag(invocation, 'json')) {
    const changes = writes.flatMap((write) =>
      pathsOf(write).map((path) => ({ path, change: changeOf(write) })),
    );
    const surplus = held.map(({ path }) => ({ path, change: 'unwanted' }));
    const links = asleep.map((path) => ({ path, change: 'not-enabled' }));
    terminal.out(JSON.stringify({ current, changes: [...changes, ...surplus, ...links] }));
    return code;
  }
  if (current) terminal.out('what is installed is what would be installed');
  for (const line of writes.flatMap(describeWrite)) terminal.out(line);
  for (const path of asleep) terminal.out(`${path}: not enabled, it does not start at boot`);
  for (const { path } of held) {
    terminal.out(`${path}: not expected: what runs now would stay down when s6 is started again`);
  }
  return code;
}

/** Units whose link in the folder of their target is missing: install makes it. */
function notEnabled(target: Target, { entries }: Wanted): readonly string[] {
  const { folder, isElsewhere, manager, scope } = target;
  if (manager !== 'systemd' || isElsewhere) return [];
  const wants = join(folder, `${wantedBy(scope)}.wants`);
  return entries.flatMap(({ files, name }) => {
    const link = lstatSync(join(wants, name), { throwIfNoEntry: false });
    return link === undefined ? files.map(({ path }) => path) : [];
  });
}

function changeOf({ kind }: Write): 'missing' | 'differs' | 'mode' {
  if (kind === 'replace') return 'differs';
  return kind === 'chmod' ? 'mode' : 'missing';
}

function describeWrite(write: Write): readonly string[] {
  switch (write.kind) {
    case 'create':
    case 'create-folder':
      return pathsOf(write).map((path) => `${path}: missing`);
    case 'chmod': {
      const { file, was } = write;
      return [`${file.path}: mode ${renderMode(was)}, expected ${renderMode(file.mode)}`];
    }
    case 'replace':
      return [
        `${write.file.path}: differs (- installed, + expected)`,
        ...lineDiff(write.was, write.file.text).map((line) => `  ${line}`),
      ];
    default:
      return write satisfies never;
  }
}
