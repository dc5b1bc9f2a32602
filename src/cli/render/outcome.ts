import type { Verb } from '../../core/events.js';
import { CLI_EXIT } from '../../core/exit-codes.js';
import type { MoveStatus, ProfileStatus } from '../../core/status.js';
import type { Followed } from '../control/follow-job.js';
import { describeJob } from '../progress.js';
import { readableLine } from './foreign-line.js';
import { describeExit, describeNext } from './profile-words.js';

/** What one profile's verb came to, in words and as an exit code. */
export interface Outcome {
  readonly code: number;
  readonly lines: readonly string[];
  /** what an operator can do; empty when it went well */
  readonly next: string;
}

/** Everything that the outcome of one profile depends on; `profile` is what was observed after. */
export interface OutcomeFacts {
  readonly verb: Verb;
  readonly name: string;
  readonly followed: Followed;
  readonly profile: ProfileStatus | undefined;
  /** where a reload was to move it; undefined: nowhere */
  readonly movedTo?: MoveStatus['to'] | undefined;
  readonly tookText: string;
  readonly nowMs: number;
}

/** Judges by what was observed, never by what was asked. */
export function judgeOutcome(facts: OutcomeFacts): Outcome {
  const { followed, name } = facts;
  switch (followed.kind) {
    case 'unfinished':
      return {
        code: CLI_EXIT.unfinished,
        lines: [`not finished yet: ${describeJob(followed.job)}`],
        next: `it goes on without us; look again with: gatewarden status ${name}`,
      };
    case 'supervisor-gone':
      return {
        code: CLI_EXIT.failed,
        lines: [
          `${name}: the supervisor went away while ${facts.verb} was ${followed.job.phase}: ${followed.reason}`,
        ],
        next: 'look whether it comes back with: gatewarden status',
      };
    case 'finished':
      return judgeFinished(facts, followed.job.phase === 'done', followed.job.detail);
    default:
      return followed satisfies never;
  }
}

function judgeFinished(facts: OutcomeFacts, isDone: boolean, detail: string | null): Outcome {
  const { profile, name, verb } = facts;
  const state = profile?.state ?? 'gone';
  const move = profile?.move ?? null;
  if (move !== null && facts.movedTo === move.to) return tellMove(name, move);
  // done may be over by now: a program can be ready and then refuse its configuration
  if (isDone && (verb === 'stop' || (state !== 'parked' && state !== 'backoff'))) {
    const pid = profile === undefined || profile.pid === null ? '' : ` (pid ${profile.pid})`;
    return {
      code: CLI_EXIT.done,
      lines: [`${name}: ${state}${pid} after ${facts.tookText}`],
      next: '',
    };
  }
  if (profile?.parked) {
    const { parked } = profile;
    return {
      code: parked.reason === 'crash-loop' ? CLI_EXIT.failed : CLI_EXIT.refused,
      lines: [`${name}: parked (${parked.reason}): ${readableLine(parked.detail)}`],
      next: parked.remedy,
    };
  }
  if (profile?.state === 'backoff' && profile.lastExit !== null) {
    const last =
      profile.lastExit.detail === null ? '' : `: ${readableLine(profile.lastExit.detail)}`;
    const next = describeNext(profile, facts.nowMs);
    return {
      code: CLI_EXIT.failed,
      lines: [`${name}: backing off after ${describeExit(profile.lastExit)}${last}`],
      next: `${next === '' ? '' : `${next} by itself; `}ask why with: gatewarden why ${name}`,
    };
  }
  return {
    code: CLI_EXIT.failed,
    lines: [
      `${name}: ${verb} did not come about, it is ${state}${detail === null ? '' : `: ${detail}`}`,
    ],
    next: `ask why with: gatewarden why ${name}`,
  };
}

/** It runs, and not where it was to run. */
function tellMove(name: string, { detail, phase }: MoveStatus): Outcome {
  const isFailed = phase === 'failed';
  return {
    code: isFailed ? CLI_EXIT.failed : CLI_EXIT.unfinished,
    lines: [`${name}: ${readableLine(detail)}`],
    next: isFailed
      ? 'correct that, then try again with: gatewarden reload'
      : `look again with: gatewarden status ${name}`,
  };
}

/**
 * One exit code for several profiles: any failure is a failure, a refusal only when nothing
 * else failed, unfinished only when nothing failed at all.
 */
export function combineCodes(codes: readonly number[]): number {
  for (const code of [CLI_EXIT.failed, CLI_EXIT.refused, CLI_EXIT.unfinished]) {
    if (codes.includes(code)) return code;
  }
  return codes.find((code) => code !== CLI_EXIT.done) ?? CLI_EXIT.done;
}
