import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Scope } from '../../containment/index.js';
import { errnoOf } from '../../core/errors.js';
import { ToolRefusal } from './refusal.js';

export interface ChildOrder {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly keepsStdin: boolean;
}

/** The kernel takes a tool for want of memory before it takes the gateway, which is near 0. */
const OOM_SCORE_ADJ = 500;

/** Both outputs are one pipe, so that what was printed together is read together. */
const INTO_ONE_PIPE = 'exec /bin/sh -c "$1" 2>&1';

/** Starts a shell command in a scope. @throws ToolRefusal when there is no process afterwards */
export function spawnChild(scope: Scope, order: ChildOrder): ChildProcess {
  const { command, cwd, env, keepsStdin } = order;
  const child = scope.spawn({
    argv: ['/bin/sh', '-c', INTO_ONE_PIPE, 'sh', command],
    cwd,
    env,
    stdio: [keepsStdin ? 'pipe' : 'ignore', 'pipe', 'ignore'],
    oomScoreAdj: OOM_SCORE_ADJ,
  });
  if (child.pid !== undefined) return child;
  // the reason follows in an event that nobody else waits for
  child.on('error', () => {});
  throw new ToolRefusal(
    existsSync(cwd)
      ? 'the system could not start another process: too many run, or memory is short'
      : `the directory ${cwd} does not exist`,
  );
}

/** The system's refusal as the agent reads it. */
export function toSpawnRefusal(thrown: unknown): ToolRefusal {
  if (thrown instanceof ToolRefusal) return thrown;
  return new ToolRefusal(`the system could not start it (${errnoOf(thrown) ?? 'unknown'})`);
}
