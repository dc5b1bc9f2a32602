import { setTimeout as delay } from 'node:timers/promises';
import type { ResumeSettings } from '../../core/assignment.js';
import { messageOf } from '../../core/errors.js';
import type { GatewayLog } from '../log.js';
import type { Announcement, PlatformAdapter } from '../platforms/port.js';
import type { SessionStore } from '../sessions/store.js';
import type { TurnRunner } from '../turns/runner.js';
import { type PendingSession, planResume } from './plan-resume.js';
import { Slots } from './slots.js';

/** How long a start may hold new messages back (spec/supervision.md 6.6). */
export interface ResumeTimes {
  /** a platform that is not connected by then is not waited for */
  readonly warmUpMs: number;
  /** new messages wait at most so long for the conversations that come first */
  readonly gateMs: number;
  readonly lookEveryMs: number;
  /** conversations that are taken up at the same time; the others wait for one of them to end */
  readonly atOnce: number;
}

export const RESUME_TIMES: ResumeTimes = Object.freeze({
  warmUpMs: 20_000,
  gateMs: 30_000,
  lookEveryMs: 50,
  // a hundred at the same moment are what a model's provider refuses, and what leaves people who
  // write now without their share of a small machine
  atOnce: 8,
});

export interface ResumeParts {
  readonly settings: ResumeSettings;
  readonly store: SessionStore;
  readonly turns: TurnRunner;
  readonly adapters: readonly PlatformAdapter[];
  readonly announce: (news: Announcement) => void;
  readonly times: ResumeTimes;
  /** epoch milliseconds of this gateway's start, before it took any message */
  readonly bornAt: number;
  readonly log: GatewayLog;
}

/**
 * Takes up what a restart cut off: each conversation gets an event without words, before any new
 * message, so that nobody has to ask again. Every try is counted before it begins: a try that
 * kills the gateway counts too, one that was still waiting for its turn does not.
 */
export async function resumeInterrupted(parts: ResumeParts): Promise<void> {
  const { store, adapters, settings, log } = parts;
  const now = Date.now();
  const boots = readBoots(parts);
  const pushes = new Set(adapters.filter(({ canPush }) => canPush).map(({ name }) => name));
  const plan = planResume({ pending: store.pendingSessions(), boots, settings, now, pushes });
  const { resume, suspend, left, isLoop } = plan;
  if (resume.length + suspend.length + left.length === 0) return;
  const counts = { resumed: resume.length, suspended: suspend.length, left: left.length };
  if (isLoop) log.warn('restarts go round in circles: nothing is taken up', counts);
  else log.info('conversations that were cut off', counts);
  if (suspend.length > 0) store.write({ kind: 'suspend', sessionIds: idsOf(suspend) });
  if (resume.length === 0) return;
  await claimAll(parts, resume);
}

/** A file that cannot be read is no loop: it would keep everything from being taken up. */
function readBoots({ store, log, bornAt }: ResumeParts) {
  try {
    return store.recordBoot(bornAt);
  } catch (thrown) {
    log.warn('the starts before this one are not known', { reason: messageOf(thrown) });
    return [];
  }
}

/** In no platform's way for longer than it must be. */
async function claimAll(parts: ResumeParts, sessions: readonly PendingSession[]): Promise<void> {
  const { turns, adapters, times } = parts;
  const { open } = turns.holdBack(times.gateMs);
  try {
    const names = new Set(sessions.map(({ platform }) => platform));
    await Promise.all(
      adapters
        .filter(({ name }) => names.has(name))
        .map(async (adapter) => {
          if (!(await isConnectedWithin(adapter, times))) return;
          claim(
            parts,
            sessions.filter(({ platform }) => platform === adapter.name),
          );
        }),
    );
  } finally {
    open();
  }
}

async function isConnectedWithin(adapter: PlatformAdapter, times: ResumeTimes): Promise<boolean> {
  const untilMs = performance.now() + times.warmUpMs;
  while (adapter.report().state !== 'connected') {
    if (performance.now() >= untilMs) return false;
    await delay(times.lookEveryMs, undefined, { ref: false });
  }
  return true;
}

/** Nothing is waited for in here: each has its place in its lane when this returns. */
function claim(parts: ResumeParts, sessions: readonly PendingSession[]): void {
  const { turns, times, log } = parts;
  if (turns.isRefusing) return;
  const slots = new Slots(times.atOnce);
  for (const session of sessions) {
    takeUp(parts, session, slots).catch((thrown: unknown) => {
      log.error('a conversation was not taken up', { reason: messageOf(thrown) });
    });
  }
}

async function takeUp(
  { turns, store, announce, log }: ResumeParts,
  { id, platform, chatId }: PendingSession,
  slots: Slots,
): Promise<void> {
  let hasBegun = false;
  const begin = async () => {
    await slots.take();
    hasBegun = true;
  };
  // the store counts it with its first word: one that still waits when we end was no try
  const isWanted = () => {
    store.write({ kind: 'count-resume', sessionIds: [id] });
    return true;
  };
  const submitted = turns.submit({
    platform,
    conversation: { kind: 'stored', chatId },
    text: '',
    messageId: undefined,
    maxTokens: undefined,
    workKind: 'turn',
    internal: { kind: 'resume', sessionId: id, isWanted, begin },
    onDelta: () => {},
    // nobody waits for it, so nobody can leave
    signal: new AbortController().signal,
  });
  const outcome = await submitted.finally(() => {
    if (hasBegun) slots.give();
  });
  if (outcome.kind === 'answered') {
    announce({ platform, chatId, turnId: outcome.turnId, text: outcome.text });
    return;
  }
  const reason = outcome.error.message;
  log.info('a conversation was not finished', { session: id, outcome: outcome.kind, reason });
}

function idsOf(sessions: readonly PendingSession[]): string[] {
  return sessions.map(({ id }) => id);
}
