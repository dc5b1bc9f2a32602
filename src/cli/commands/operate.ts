import { homeHash } from '../../config/paths.js';
import type { Job } from '../../core/control.js';
import { GatewardenError, renderError } from '../../core/errors.js';
import type { Verb } from '../../core/events.js';
import { CLI_EXIT } from '../../core/exit-codes.js';
import { describeOwner, type Owner } from '../../core/owner.js';
import { TURN_VARIABLE } from '../../core/scope.js';
import type { StatusReport } from '../../core/status.js';
import { here } from '../../store/place.js';
import type { ControlClient } from '../control/client.js';
import { type Followed, followJob, isFinished } from '../control/follow-job.js';
import { isInsideTreeOf } from '../control/own-tree.js';
import { ancestors, ownCgroup } from '../control/process-facts.js';
import { reach, reachOrFail } from '../control/reach.js';
import { onInterrupt } from '../interrupt.js';
import { type Progress, startProgress } from '../progress.js';
import { combineCodes, judgeOutcome, type Outcome } from '../render/outcome.js';
import { formatSpan } from '../render/units.js';
import { unknownProfile } from '../unknown-profile.js';
import { type Context, hasFlag, type Invocation, numberOption } from '../verb.js';

const POLL_MS = 150;

/** start, stop, restart, reload: changes what is wanted and waits until that is observed. */
export async function run(invocation: Invocation, context: Context): Promise<number> {
  const verb = invocation.verb as Verb;
  if (verb === 'reload' && invocation.words.length === 0) {
    const { reloadAll } = await import('./reload-all.js');
    return reloadAll(invocation, context);
  }
  const first = await reach(context.home, context.env);
  if (first.kind !== 'answers') {
    const { viaManager } = await import('../units/via-manager.js');
    const code = await viaManager(invocation, context, first);
    if (code !== undefined) return code;
  }
  if (first.kind === 'answers' && (verb === 'start' || verb === 'restart')) {
    const { repairInstalled } = await import('../units/repair.js');
    await repairInstalled(context);
  }
  const { client, report } =
    first.kind === 'answers' ? first : await reachOrFail(context.home, context.env);
  const names = chooseProfiles(invocation, report);
  if (names.length === 0) context.terminal.notice('no profiles: nothing to do');
  const timeoutSeconds = numberOption(invocation, 'timeout');
  const { signal, release } = onInterrupt();
  const progress = startProgress(context.terminal);
  const operation: Operation = {
    verb,
    client,
    report,
    context,
    progress,
    signal,
    now: hasFlag(invocation, 'now'),
    wait: !hasFlag(invocation, 'no-wait'),
    startedMs: Date.now(),
    deadlineMs: timeoutSeconds === undefined ? undefined : Date.now() + timeoutSeconds * 1000,
  };
  try {
    const codes = await Promise.all(names.map((name) => operate(name, operation)));
    return combineCodes(codes);
  } finally {
    progress.stop();
    release();
  }
}

interface Operation {
  readonly verb: Verb;
  readonly client: ControlClient;
  /** what was observed before */
  readonly report: StatusReport;
  readonly context: Context;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly now: boolean;
  readonly wait: boolean;
  readonly startedMs: number;
  readonly deadlineMs: number | undefined;
}

/** Named, all, or the only one there is; several and none named would be a guess. */
export function chooseProfiles(invocation: Invocation, report: StatusReport): readonly string[] {
  const known = report.profiles.map((profile) => profile.name);
  const isAll = hasFlag(invocation, 'all');
  if (isAll && invocation.words.length > 0) {
    throw new GatewardenError('bad-argument', {
      expected: 'expected either names or --all',
      got: 'both',
      hint: `leave one away; profiles: ${known.join(', ')}`,
    });
  }
  if (invocation.words.length > 0) return [...new Set(invocation.words)];
  if (isAll || known.length <= 1) return known;
  throw new GatewardenError('bad-argument', {
    expected: 'expected the names of profiles or --all',
    got: 'neither',
    hint: `profiles: ${known.join(', ')}`,
  });
}

async function operate(name: string, operation: Operation): Promise<number> {
  const { client, context, progress, verb } = operation;
  const { terminal } = context;
  let job: Job;
  try {
    refuseFromTurn(name, operation);
    const server = await guard(name, operation);
    if (server !== undefined) {
      progress.settle(name);
      terminal.out(`${name}: is served already, by ${describeOwner(server, here())}`);
      return CLI_EXIT.done;
    }
    job = await client.order(name, verb, { now: operation.now, by: 'cli' });
  } catch (thrown) {
    // one profile's refusal must not hide what became of the others
    if (!(thrown instanceof GatewardenError)) throw thrown;
    progress.settle(name);
    const loaded = operation.report.profiles.map((profile) => profile.name);
    const isUnknown = thrown.code === 'unknown-profile';
    const error = isUnknown ? unknownProfile(name, context.home, loaded) : thrown;
    terminal.error(renderError(error));
    return error.exitCode;
  }
  if (!isFinished(job) && isOwnTree(name, operation)) {
    terminal.out(`${name}: ${verb} was asked for; this process is part of it, so nobody waits`);
    return CLI_EXIT.done;
  }
  if (!operation.wait) {
    terminal.out(`${name}: ${verb} was asked for (${job.phase})`);
    return CLI_EXIT.done;
  }
  const { deadlineMs, signal } = operation;
  const onProgress = (news: Job) => progress.update(news);
  const followed = await followJob(client, job, {
    pollMs: POLL_MS,
    deadlineMs,
    signal,
    onProgress,
  });
  return tell(await observe(name, followed, operation), operation, name);
}

/** Whether somebody runs it who is none of the supervisor's. */
async function guard(
  name: string,
  { verb, report, context }: Operation,
): Promise<Owner | undefined> {
  if (verb !== 'start' && verb !== 'restart') return undefined;
  if (!report.profiles.some((profile) => profile.name === name)) return undefined;
  const { guardVerb } = await import('../control/guard-verb.js');
  const { env, home } = context;
  return guardVerb(name, { verb, home, env, supervisorPid: report.supervisor.pid });
}

/** An agent that restarts its gateway is taken up again afterwards, and would do it again. */
function refuseFromTurn(name: string, operation: Operation): void {
  const { verb, context } = operation;
  const isEnding = verb === 'stop' || verb === 'restart';
  if (!isEnding || !context.env[TURN_VARIABLE] || !isOwnTree(name, operation)) return;
  throw new GatewardenError('self-restart', { verb, profile: name });
}

function isOwnTree(name: string, { verb, report, context }: Operation): boolean {
  const profile = report.profiles.find((one) => one.name === name);
  if (profile === undefined || verb === 'start') return false;
  return isInsideTreeOf(profile, {
    ancestors: ancestors(process.pid),
    env: context.env,
    homeHash: homeHash(context.home),
    cgroup: ownCgroup(),
  });
}

async function observe(name: string, followed: Followed, operation: Operation): Promise<Outcome> {
  const { client, verb, startedMs } = operation;
  const after = followed.kind === 'finished' ? await client.status() : undefined;
  const nowMs = Date.now();
  return judgeOutcome({
    verb,
    name,
    followed,
    profile: after?.profiles.find((profile) => profile.name === name),
    tookText: formatSpan(nowMs - startedMs),
    nowMs,
  });
}

function tell(outcome: Outcome, operation: Operation, name: string): number {
  const { terminal } = operation.context;
  operation.progress.settle(name);
  for (const line of outcome.lines) terminal.out(line);
  if (outcome.next !== '') terminal.out(terminal.aim(`  next: ${outcome.next}`));
  return outcome.code;
}
