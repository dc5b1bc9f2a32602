import type { GatewayAssignment } from '../core/assignment.js';
import { messageOf } from '../core/errors.js';
import type { CrowdedTurn } from '../core/work.js';
import type { GatewayLog } from './log.js';
import type { Announcement } from './platforms/port.js';
import type { ProcessNotice } from './processes/notifier.js';
import { type GatewayProcesses, openProcesses } from './processes/open-processes.js';
import type { LazyContainment } from './tool-containment.js';
import type { InboundMessage, TurnOutcome } from './turns/inbound.js';
import type { TurnObserver } from './turns/observer.js';

export interface ProcessHost {
  readonly assignment: GatewayAssignment;
  readonly containment: LazyContainment;
  readonly log: GatewayLog;
  readonly observer: TurnObserver;
}

export interface NoticePaths {
  /** the news becomes a turn of the conversation that it belongs to */
  readonly submit: (message: InboundMessage) => Promise<TurnOutcome>;
  /** what the agent made of it goes to whoever listens there */
  readonly announce: (news: Announcement) => void;
  readonly onCrowded: (crowded: CrowdedTurn) => void;
}

/** The tool processes of a gateway, whose news become turns. */
export function openToolProcesses(
  { assignment, containment, log, observer }: ProcessHost,
  paths: NoticePaths,
): GatewayProcesses {
  const { stateDir, env, secrets } = assignment;
  const onNotice = (notice: ProcessNotice) => {
    deliver(notice, paths, log).catch((thrown: unknown) => {
      log.error('news of a process were lost', { reason: messageOf(thrown) });
    });
  };
  const { onCrowded } = paths;
  const processes = openProcesses({
    stateDir,
    env,
    secrets,
    containment: containment.get,
    onNotice,
    onCrowded,
    onKept: (turnId, scope) => observer.kept?.(turnId, scope),
    log,
  });
  return {
    ...processes,
    close: async () => {
      await processes.close();
      await containment.close();
    },
  };
}

async function deliver(
  { processId, origin, text, isWanted }: ProcessNotice,
  { submit, announce }: NoticePaths,
  log: GatewayLog,
): Promise<void> {
  const { platform, chatId, sessionId } = origin;
  const outcome = await submit({
    platform,
    conversation: { kind: 'stored', chatId },
    text,
    messageId: undefined,
    maxTokens: undefined,
    // a drain waits for it in its own right: nobody would send it again
    workKind: 'delivery',
    internal: { kind: 'news', sessionId, isWanted },
    onDelta: () => {},
    // nobody waits for it, so nobody can leave
    signal: new AbortController().signal,
  });
  if (outcome.kind === 'answered') {
    announce({ platform, chatId, turnId: outcome.turnId, text: outcome.text });
    return;
  }
  const reason = outcome.error.message;
  log.info('news of a process were not told', {
    process: processId,
    outcome: outcome.kind,
    reason,
  });
}
