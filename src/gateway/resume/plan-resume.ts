import type { ResumeSettings } from '../../core/assignment.js';
import { type BootRecord, isRestartLoop } from './judge-loop.js';

/** A conversation whose last turn was cut off and that nobody has answered since. */
export interface PendingSession {
  readonly id: string;
  readonly platform: string;
  readonly chatId: string | undefined;
  /** epoch milliseconds of the cut */
  readonly cutAt: number;
  /** how often it was taken up since without coming to an end */
  readonly attempts: number;
}

/** In the middle of a turn at so many restarts in a row: then it is what is wrong. */
export const STUCK_RESTARTS = 3;

export interface ResumeFacts {
  readonly pending: readonly PendingSession[];
  /** newest first, this one included */
  readonly boots: readonly BootRecord[];
  readonly settings: ResumeSettings;
  /** epoch milliseconds */
  readonly now: number;
  /** platforms that bring an answer to a chat that waits for none */
  readonly pushes: ReadonlySet<string>;
}

export interface ResumePlan {
  readonly resume: readonly PendingSession[];
  /** set aside: the next message begins a new conversation, and says so */
  readonly suspend: readonly PendingSession[];
  /** left to their next message */
  readonly left: readonly PendingSession[];
  /** restarts go round in circles: nothing is taken up */
  readonly isLoop: boolean;
}

/** What becomes of each conversation that a restart cut off (spec/supervision.md 6.6). Pure. */
export function planResume(facts: ResumeFacts): ResumePlan {
  const { pending, boots, settings } = facts;
  const isLoop = isRestartLoop(boots, settings.loopGuard);
  const suspend = pending.filter(({ attempts }) => attempts + 1 >= STUCK_RESTARTS);
  const others = pending.filter((one) => !suspend.includes(one));
  const resume = isLoop ? [] : others.filter((one) => isFresh(one, facts) && isReached(one, facts));
  return { resume, suspend, left: others.filter((one) => !resume.includes(one)), isLoop };
}

function isFresh({ cutAt }: PendingSession, { settings, now }: ResumeFacts): boolean {
  return settings.freshnessMs === 0 || now - cutAt <= settings.freshnessMs;
}

function isReached({ platform }: PendingSession, { pushes }: ResumeFacts): boolean {
  return pushes.has(platform);
}
