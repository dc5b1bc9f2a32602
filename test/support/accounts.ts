import { spawnSync } from 'node:child_process';
import { packageFile } from '../../src/core/package-root.js';

/** An account that no host has: uid and gid of its own, and no other group. */
export const A = 64_011;
export const B = 64_012;

/** Why programs of this clone cannot be run as another account; false: they can. */
export function canRunThisClone(uid: number): string | false {
  if (process.geteuid?.() !== 0) return 'only root can start anything as another account';
  const file = packageFile('src', 'containment', 'launch', 'become.sh');
  const { status } = asUid(uid, ['test', '-r', file]);
  return status === 0 ? false : `uid ${uid} cannot read this clone`;
}

/** Tries something with the rights of an account and no others. */
export function asUid(uid: number, argv: readonly [string, ...string[]]) {
  const [program, ...args] = argv;
  return spawnSync(program, args, { uid, gid: uid, encoding: 'utf8', cwd: '/' });
}
