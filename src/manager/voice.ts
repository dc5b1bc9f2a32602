import { openDatagrams } from './datagrams.js';
import { encodeForSystemd, type ManagerNews } from './news.js';
import { parseFd, sayReadyOn } from './ready-fd.js';

/** The one way to tell whoever runs us: one edge "ready", an encoder per manager (design §3). */
export interface ManagerVoice {
  readonly kind: 'systemd' | 's6' | 'none';
  /** a manager kills us when it does not hear `alive` within this; undefined: it does not care */
  readonly watchdogMs: number | undefined;
  tell(news: ManagerNews): void;
  close(): void;
}

export interface VoiceFacts {
  /** NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID; GATEWARDEN_NOTIFY_FD as in s6's notification-fd */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  /** told once */
  readonly trouble: (detail: string) => void;
}

const USEC_PER_MS = 1000;
const NANOSECONDS_PER_USEC = 1000n;

export function openVoice({ env, pid, trouble }: VoiceFacts): ManagerVoice {
  const socket = env.NOTIFY_SOCKET;
  if (socket !== undefined && socket !== '') {
    return new SystemdVoice(socket, { env, pid, trouble });
  }
  const fd = notifyFd(env);
  return fd === undefined ? SILENT : new S6Voice(fd, trouble);
}

/** The descriptor on which s6 waits for us to be ready; undefined: it does not. */
export function notifyFd(env: VoiceFacts['env']): number | undefined {
  return parseFd(env.GATEWARDEN_NOTIFY_FD ?? usualFd(env));
}

/** Our own slots have `notification-fd` 3. */
function usualFd(env: VoiceFacts['env']): string | undefined {
  return env.GATEWARDEN_S6_SUPERVISED_CHILD === undefined ? undefined : '3';
}

/** launchd, a container runtime, a terminal: they look at the process alone. */
const SILENT: ManagerVoice = Object.freeze({
  kind: 'none',
  watchdogMs: undefined,
  tell: () => undefined,
  close: () => undefined,
});

/** WATCHDOG_PID names who is meant: a parent's watchdog is not ours to feed. */
export function watchdogMsOf(env: VoiceFacts['env'], pid: number): number | undefined {
  const usec = Number(env.WATCHDOG_USEC ?? '');
  if (!Number.isFinite(usec) || usec <= 0) return undefined;
  const isMeant = env.WATCHDOG_PID === undefined || Number(env.WATCHDOG_PID) === pid;
  return isMeant ? usec / USEC_PER_MS : undefined;
}

class SystemdVoice implements ManagerVoice {
  readonly kind = 'systemd';
  readonly watchdogMs: number | undefined;
  readonly #pid: number;
  readonly #datagrams: ReturnType<typeof openDatagrams>;
  #hasStopped = false;

  constructor(socket: string, { env, pid, trouble }: VoiceFacts) {
    this.watchdogMs = watchdogMsOf(env, pid);
    this.#pid = pid;
    this.#datagrams = openDatagrams(socket, trouble);
  }

  tell(news: ManagerNews): void {
    if (news.code === 'stopping') {
      if (this.#hasStopped) return;
      this.#hasStopped = true;
    }
    // READY after STOPPING would call the stop off
    if (this.#hasStopped && (news.code === 'ready' || news.code === 'reloading')) return;
    const monotonicUsec = process.hrtime.bigint() / NANOSECONDS_PER_USEC;
    this.#datagrams.send(encodeForSystemd(news, { pid: this.#pid, monotonicUsec }));
  }

  close(): void {
    this.#datagrams.close();
  }
}

class S6Voice implements ManagerVoice {
  readonly kind = 's6';
  readonly watchdogMs = undefined;
  readonly #trouble: (detail: string) => void;
  #fd: number | undefined;

  constructor(fd: number, trouble: (detail: string) => void) {
    this.#fd = fd;
    this.#trouble = trouble;
  }

  tell({ code }: ManagerNews): void {
    if (code !== 'ready' || this.#fd === undefined) return;
    sayReadyOn(this.#fd, this.#trouble);
    this.#fd = undefined;
  }

  close(): void {
    this.#fd = undefined;
  }
}
