import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { closeState } from '../../../supervisor/accounts/prepare-account.js';
import { asAccount } from '../../../units/as-account.js';
import { profileLayout } from '../../config/paths.js';
import { GatewardenError, messageOf } from '../../core/errors.js';
import { CLI_EXIT } from '../../core/exit-codes.js';
import { hasGeneration } from '../../core/lifecycle.js';
import { describeOwner } from '../../core/owner.js';
import type { ProfileStatus } from '../../core/status.js';
import { confirm } from '../confirm.js';
import type { ControlClient } from '../control/client.js';
import { followJob } from '../control/follow-job.js';
import { reach, unreachable } from '../control/reach.js';
import { onInterrupt } from '../interrupt.js';
import { knownProfiles } from '../known-profiles.js';
import { startProgress } from '../progress.js';
import { formatSpan } from '../render/units.js';
import { unknownProfile } from '../unknown-profile.js';
import { type Context, hasFlag, type Invocation } from '../verb.js';

const POLL_MS = 150;

/** Stops it, then moves it out of the way; only --purge deletes anything. */
export async function removeProfile(invocation: Invocation, context: Context): Promise<number> {
  const { home, terminal } = context;
  const name = invocation.words[0] ?? '';
  if (!knownProfiles(home).includes(name)) throw unknownProfile(name, home);
  const isPurge = hasFlag(invocation, 'purge');
  if (isPurge && !(await isConfirmed(name, invocation, context))) {
    terminal.notice('nothing was removed');
    return CLI_EXIT.failed;
  }
  const client = await stopFirst(name, context);
  const { directory, logDir } = profileLayout(home, name);
  if (isPurge) {
    doOrExplain(`cannot delete ${directory}`, () => {
      closeState(home, name);
      rmSync(directory, { recursive: true, force: true });
      rmSync(logDir, { recursive: true, force: true });
    });
    terminal.out(`deleted ${name}: its configuration, secrets, state and logs`);
  } else {
    const kept = join(home, 'removed', `${name}-${stampOf(new Date())}`);
    doOrExplain(`cannot move ${directory}`, () => {
      mkdirSync(join(home, 'removed'), { recursive: true, mode: 0o700 });
      renameSync(directory, kept);
    });
    terminal.out(`removed ${name}; its files and state are kept in ${kept}`);
  }
  await forget(client, context);
  return CLI_EXIT.done;
}

/** Never asks without a terminal (spec/cli.md). @throws GatewardenError bad-argument */
async function isConfirmed(
  name: string,
  invocation: Invocation,
  { terminal }: Context,
): Promise<boolean> {
  if (hasFlag(invocation, 'yes')) return true;
  if (!terminal.inIsTty || !terminal.errIsTty) {
    throw new GatewardenError('bad-argument', {
      expected: 'expected --yes with --purge where nobody can be asked',
      got: 'no --yes',
      hint: 'add --yes when all state of the profile may be deleted',
    });
  }
  return confirm(`Delete all state, secrets and logs of ${name}?`, terminal.input);
}

/** @throws GatewardenError when it still runs: its files must not vanish under it */
async function stopFirst(name: string, context: Context): Promise<ControlClient | undefined> {
  const { env, home } = context;
  const found = await reach(home, env);
  if (found.kind === 'silent') throw unreachable(found, home);
  if (found.kind === 'none') {
    await refuseWhileServed(name, home);
    return undefined;
  }
  const status = found.report.profiles.find((profile) => profile.name === name);
  if (status !== undefined && status.state !== 'stopped') {
    await stopThrough(found.client, status, context);
  }
  await refuseWhileServed(name, home);
  return found.client;
}

async function stopThrough(
  client: ControlClient,
  { name }: ProfileStatus,
  { terminal }: Context,
): Promise<void> {
  const progress = startProgress(terminal);
  const { release, signal } = onInterrupt();
  const startedMs = Date.now();
  try {
    const job = await client.order(name, 'stop', { now: false, by: 'cli' });
    await followJob(client, job, {
      pollMs: POLL_MS,
      deadlineMs: undefined,
      signal,
      onProgress: (news) => progress.update(news),
    });
  } finally {
    progress.stop();
    release();
  }
  const { profiles } = await client.status();
  const after = profiles.find((profile) => profile.name === name);
  if (after !== undefined && hasGeneration(after.state)) {
    const { state } = after;
    throw new GatewardenError('not-ready', { profile: name, wanted: 'stopped', state });
  }
  terminal.notice(`${name}: stopped after ${formatSpan(Date.now() - startedMs)}`);
}

/**
 * A gateway of `gateway run` is nobody's to stop from here. Its lock tells, whether a supervisor
 * answers or not.
 */
async function refuseWhileServed(name: string, home: string): Promise<void> {
  const { gatewayLock } = profileLayout(home, name);
  if (!existsSync(gatewayLock)) return;
  const { acquireLock, here, ownOwner } = await import('../../store/index.js');
  // root that opens a file in somebody else's directory can be led to any other one
  const outcome = asAccount(statSync(dirname(gatewayLock)), () => {
    const tried = acquireLock(gatewayLock, ownOwner(home, name));
    if (tried.kind === 'held') tried.lock.release();
    return tried;
  });
  if (outcome.kind !== 'taken') return;
  throw new GatewardenError('gateway-already-running', {
    profile: name,
    owner: describeOwner(outcome.owner, here()),
    path: gatewayLock,
    hint: `end that one first, then: gatewarden profile remove ${name}`,
  });
}

/** A bad file of another profile must not turn a removal that is done into a failure. */
async function forget(client: ControlClient | undefined, { terminal }: Context): Promise<void> {
  try {
    await client?.reload('cli');
  } catch (thrown) {
    if (!(thrown instanceof GatewardenError)) throw thrown;
    terminal.notice(`the supervisor still lists it: ${thrown.message}`);
  }
}

function doOrExplain(what: string, action: () => void): void {
  try {
    action();
  } catch (thrown) {
    const hint = 'nothing else was changed; look at the permissions of the home';
    throw new GatewardenError(
      'io-failed',
      { what, reason: messageOf(thrown), hint },
      { cause: thrown },
    );
  }
}

function stampOf(at: Date): string {
  return at
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '');
}
