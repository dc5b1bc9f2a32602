import { homeHash } from '../../config/paths.js';
import type { Job } from '../../core/control.js';
import { CLI_EXIT } from '../../core/exit-codes.js';
import type { ProfileState } from '../../core/lifecycle.js';
import type { MoveStatus, ProfileStatus } from '../../core/status.js';
import type { ControlClient } from '../control/client.js';
import type { Followed } from '../control/follow-job.js';
import { isInsideTreeOf } from '../control/own-tree.js';
import { ancestors, ownCgroup } from '../control/process-facts.js';
import { reachOrFail } from '../control/reach.js';
import { onInterrupt, pause } from '../interrupt.js';
import { startProgress } from '../progress.js';
import { describeEvent } from '../render/event-line.js';
import { combineCodes, judgeOutcome } from '../render/outcome.js';
import { formatSpan } from '../render/units.js';
import { type Context, hasFlag, type Invocation, numberOption } from '../verb.js';

const POLL_MS = 150;

/** Reads the whole configuration again, then waits for the profiles that it touched. */
export async function reloadAll(invocation: Invocation, context: Context): Promise<number> {
  const { terminal } = context;
  const { client, report: before } = await reachOrFail(context.home, context.env);
  const startedMs = Date.now();
  const changes = await client.reload('cli');
  terminal.out(describeEvent({ code: 'reloaded', ...changes }));
  const moves = new Map((changes.moves ?? []).map(({ profile, to }) => [profile, to]));
  const touched = [...new Set([...changes.added, ...changes.changed, ...moves.keys()])];
  if (touched.length === 0 || hasFlag(invocation, 'no-wait')) return CLI_EXIT.done;
  const own = before.profiles.filter((profile) => isOwnTree(profile, context));
  const names = touched.filter((name) => !own.some((profile) => profile.name === name));
  const timeoutSeconds = numberOption(invocation, 'timeout');
  const deadlineMs = timeoutSeconds === undefined ? undefined : startedMs + timeoutSeconds * 1000;
  const codes = await settle(names, client, { context, startedMs, deadlineMs, moves });
  return combineCodes(codes);
}

interface SettleOptions {
  readonly context: Context;
  readonly startedMs: number;
  readonly deadlineMs: number | undefined;
  /** who is to run elsewhere */
  readonly moves: ReadonlyMap<string, MoveStatus['to']>;
}

async function settle(
  names: readonly string[],
  client: ControlClient,
  options: SettleOptions,
): Promise<readonly number[]> {
  const progress = startProgress(options.context.terminal);
  const { release, signal } = onInterrupt();
  const open = new Set(names);
  const codes: number[] = [];
  try {
    while (open.size > 0) {
      const { profiles } = await client.status();
      const isLast =
        signal.aborted || Date.now() >= (options.deadlineMs ?? Number.POSITIVE_INFINITY);
      for (const name of [...open]) {
        const profile = profiles.find((one) => one.name === name);
        const job = jobOf(name, profile);
        if (isMoving(profile) && !isLast) {
          progress.update(job);
          continue;
        }
        open.delete(name);
        progress.settle(name);
        codes.push(conclude(followedOf(job, profile, signal.aborted), profile, options));
      }
      if (open.size > 0) await pause(POLL_MS, signal);
    }
  } finally {
    progress.stop();
    release();
  }
  return codes;
}

function conclude(
  followed: Followed,
  profile: ProfileStatus | undefined,
  { context, moves, startedMs }: SettleOptions,
): number {
  const nowMs = Date.now();
  const name = followed.job.profile;
  const tookText = formatSpan(nowMs - startedMs);
  const facts = { verb: 'reload', name, followed, profile, tookText, nowMs } as const;
  const outcome = judgeOutcome({ ...facts, movedTo: moves.get(name) });
  for (const line of outcome.lines) context.terminal.out(line);
  if (outcome.next !== '') context.terminal.out(context.terminal.aim(`  next: ${outcome.next}`));
  return outcome.code;
}

function followedOf(job: Job, profile: ProfileStatus | undefined, isAborted: boolean): Followed {
  if (!isMoving(profile)) return { kind: 'finished', job };
  return { kind: 'unfinished', job, why: isAborted ? 'interrupted' : 'timeout' };
}

/** There is no job for a whole reload: its picture is made from the status. */
function jobOf(name: string, profile: ProfileStatus | undefined): Job {
  return {
    id: '',
    profile: name,
    verb: 'reload',
    phase: phaseOf(profile?.state),
    etaMs: null,
    detail: profile?.phase ?? profile?.move?.detail ?? null,
    startedAt: profile?.since ?? '',
    finishedAt: null,
  };
}

function phaseOf(state: ProfileState | undefined): Job['phase'] {
  switch (state) {
    case 'starting':
    case 'draining':
      return state;
    case 'backoff':
    case 'parked':
      return 'failed';
    default:
      return 'done';
  }
}

function isMoving(profile: ProfileStatus | undefined): boolean {
  const isOnItsWay = profile?.move?.phase === 'under-way';
  return isOnItsWay || profile?.state === 'starting' || profile?.state === 'draining';
}

function isOwnTree(profile: ProfileStatus, { env, home }: Context): boolean {
  const where = {
    ancestors: ancestors(process.pid),
    env,
    homeHash: homeHash(home),
    cgroup: ownCgroup(),
  };
  return isInsideTreeOf(profile, where);
}
