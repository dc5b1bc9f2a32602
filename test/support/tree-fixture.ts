import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { readStat, type Scope } from '../../src/containment/index.js';
import { isDeadState } from '../../src/core/proc-stat.js';
import { fixture } from './fixture.js';
import { until } from './until.js';

export const SHAPES = [
  'plain',
  'setsid',
  'double-fork',
  'scrubbed',
  'scrubbed-double-fork',
  'ignores-sigterm',
  'forks-on',
  'stopped',
  'holds-pipes',
] as const;
export type Shape = (typeof SHAPES)[number];

export interface GrownTree {
  readonly child: ChildProcess;
  /** the pids that it was made of; those of `forks-on` are old at once */
  readonly pids: readonly number[];
  /** everybody in it has ended: told by a pipe that all of them hold, whatever lists say */
  readonly isOver: () => boolean;
}

const GROW_WITHIN_MS = 180_000;

/** Starts grows-tree.py in a scope and waits until the whole tree stands. */
export async function growTree(scope: Scope, count: number, shape: Shape): Promise<GrownTree> {
  const child = scope.spawn({
    argv: [fixture('grows-tree.py'), String(count), shape],
    cwd: undefined,
    // the system's own interpreter starts ten times faster than a wrapper of a version manager
    env: { PATH: `/usr/bin:${process.env['PATH']}` },
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  let isOver = false;
  const held = child.stdio[3] as Readable;
  held.once('end', () => {
    isOver = true;
  });
  held.resume();
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await until('the tree stands', () => text.includes('\n'), { deadlineMs: GROW_WITHIN_MS });
  const pids = text.trim().split(' ').slice(1).map(Number);
  const all = [...(child.pid === undefined ? [] : [child.pid]), ...pids];
  return { child, pids: all, isOver: () => isOver };
}

export function livingOf(pids: readonly number[]): number[] {
  return pids.filter((pid) => {
    const stat = readStat(pid);
    return stat !== undefined && !isDeadState(stat.state);
  });
}
