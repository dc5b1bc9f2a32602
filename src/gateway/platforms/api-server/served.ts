import type { ServedApiSettings } from '../../../core/assignment.js';
import { GatewardenError, messageOf } from '../../../core/errors.js';
import type { PlatformReport, PlatformState } from '../../../core/work.js';
import { type ApiMounts, type MountBase, mountPath } from '../../guests/mounts.js';
import { isLoopbackHost } from '../../http/loopback.js';
import { requestUntilAnswered } from '../../http/self-request.js';
import type { PlatformAdapter, PlatformHost } from '../port.js';
import { NAME } from './adapter.js';
import { LIMITS } from './limits.js';
import { OpenStreams } from './open-streams.js';
import { createApp } from './serve.js';

/** A guest's API, as a part of the one that its server opened at `base`. */
export function createServedApi(
  settings: ServedApiSettings,
  host: PlatformHost,
  { mounts, base }: { readonly mounts: ApiMounts; readonly base: MountBase },
): PlatformAdapter {
  const path = mountPath(host.profile);
  // without a key only this machine may ask, and a server that others reach cannot tell who asks
  const isClosed = settings.key === undefined && !isLoopbackHost(base.host);
  const streams = new OpenStreams();
  const app = createApp({
    platform: NAME,
    settings,
    host,
    streams,
    onBroken: host.onBroken,
    path,
    isClosed,
  });
  let state: PlatformState = 'connecting';
  return {
    name: NAME,
    canPush: false,
    canStream: true,
    maxTextLength: LIMITS.maxTextChars,
    open: async () => {
      const answer = (request: Request, bindings: object) => app.fetch(request, bindings);
      mounts.mount(host.profile, { answer });
      state = 'connected';
    },
    verify: (signal) => verify(base, path, signal),
    drain: () => {},
    close: async () => {
      state = 'stopped';
      mounts.unmount(host.profile);
    },
    announce: (news) => {
      if (news.platform === NAME) streams.announce(news);
    },
    report: (): PlatformReport => ({
      name: NAME,
      state,
      detail: isClosed
        ? 'platforms.api_server.key is not set, so every request is refused'
        : undefined,
    }),
    address: () => `${base.url}${path}`,
  };
}

async function verify(base: MountBase, path: string, signal: AbortSignal): Promise<void> {
  try {
    await requestUntilAnswered(
      { host: base.host, port: base.port, path: `${path}/health` },
      signal,
    );
  } catch (thrown) {
    throw new GatewardenError('listen-failed', {
      address: `${base.url}${path}`,
      reason: messageOf(thrown),
      hint: 'look for what keeps this machine busy, then start again',
    });
  }
}
