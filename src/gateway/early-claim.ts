import { existsSync, lstatSync } from 'node:fs';
import { homeLayout, profileLayout } from '../config/paths.js';
import { DEFAULT_PROFILE } from '../core/names.js';
import { codeAfter, onSignals } from './asked-by-signal.js';
import { createLog } from './log.js';
import { type ClaimedProfile, claimProfile } from './profile-lock.js';
import { DEFAULT_TIMINGS } from './timings.js';

export type EarlyClaim =
  | { readonly kind: 'claimed'; readonly claimed: ClaimedProfile }
  /** whether it may run depends on more than its own lock */
  | { readonly kind: 'open' }
  /** a signal ended the wait */
  | { readonly kind: 'leave'; readonly exitCode: number };

export interface EarlyFacts {
  readonly home: string;
  readonly profile: string;
  readonly writeLog: (line: string) => void;
}

/**
 * Takes a profile's lock before its configuration is read and anything heavy is loaded: of many
 * that are started in one instant all but one are to learn at little cost that nobody needs them.
 * @throws GatewardenError what `claimProfile` throws
 */
export async function claimEarly({ home, profile, writeLog }: EarlyFacts): Promise<EarlyClaim> {
  const { directory, stateDir } = profileLayout(home, profile);
  if (!isOurs(directory) || !isOurs(stateDir, true) || mayHaveOthers(home, profile))
    return { kind: 'open' };
  const leaving = new AbortController();
  let exitCode: number | undefined;
  const stopListening = onSignals((_, reason) => {
    exitCode ??= codeAfter(reason);
    leaving.abort();
  });
  const log = createLog(writeLog, { pid: process.pid, profile });
  try {
    const options = {
      waitMs: DEFAULT_TIMINGS.lockWaitMs,
      onWait: (owner: string) => log.warn('another gateway of the profile is alive', { owner }),
      signal: leaving.signal,
    };
    const claimed = await claimProfile({ home, profile, stateDir }, options);
    return { kind: 'claimed', claimed };
  } catch (thrown) {
    if (exitCode === undefined) throw thrown;
    return { kind: 'leave', exitCode };
  } finally {
    stopListening();
  }
}

/** Its state is made by the account that it belongs to, and not for a profile that is not there. */
function isOurs(directory: string, mayBeMissing = false): boolean {
  const stat = lstatSync(directory, { throwIfNoEntry: false });
  if (stat === undefined) return mayBeMissing;
  return stat.isDirectory() && stat.uid === (process.getuid?.() ?? stat.uid);
}

/** A supervisor, or a gateway that serves others: what they are is asked when more is known. */
function mayHaveOthers(home: string, profile: string): boolean {
  if (existsSync(homeLayout(home).supervisorHint)) return true;
  return (
    profile !== DEFAULT_PROFILE && existsSync(profileLayout(home, DEFAULT_PROFILE).gatewayHint)
  );
}
