import type { Socket } from 'node:net';
import type { ListenAddress } from '../../core/ipc.js';
import type { GatewayReport, PlatformReport } from '../../core/work.js';
import type { ApiMounts } from '../guests/mounts.js';
import type { Listener } from '../link/port.js';
import type { RestartDesk } from '../restart/restart-desk.js';
import type { GatewayTimings } from '../timings.js';
import type { TurnRunner } from '../turns/runner.js';

/** What a gateway says about its own health; read without side effects. */
export interface GatewayHealth {
  readonly profile: string;
  readonly version: string;
  readonly phase: 'starting' | 'ready' | 'draining';
  /** what is wrong although it serves; undefined: nothing */
  readonly trouble: string | undefined;
  readonly report: GatewayReport;
}

/** What an adapter may use of the gateway around it. */
export interface PlatformHost {
  readonly profile: string;
  readonly version: string;
  readonly timings: GatewayTimings;
  readonly turns: TurnRunner;
  /** where a person in a chat asks for a restart */
  readonly restart: Pick<RestartDesk, 'ask'>;
  readonly health: () => GatewayHealth;
  /** a bug of ours that one answer hid: for the log */
  readonly onBroken: (thrown: unknown) => void;
  readonly listen: (
    address: ListenAddress,
    onConnection: (socket: Socket) => void,
  ) => Promise<Listener>;
  /** looks again whom we serve; undefined: that is not ours to decide */
  readonly rescan?: (() => readonly string[]) | undefined;
  /** where profiles that share the process are part of one API; undefined: it has its own alone */
  readonly mounts?: ApiMounts | undefined;
}

/** The answer of a turn that no message of a person began. */
export interface Announcement {
  readonly platform: string;
  readonly chatId: string | undefined;
  readonly turnId: string;
  readonly text: string;
}

/** One way in and out. Differences between platforms are capability fields, never their names. */
export interface PlatformAdapter {
  readonly name: string;
  /** brings a text to a chat that waits for none */
  readonly canPush: boolean;
  /** shows an answer while it grows */
  readonly canStream: boolean;
  /** longest message it takes, in characters */
  readonly maxTextLength: number;

  /** Resolves once it accepts messages. @throws GatewardenError */
  open(): Promise<void>;
  /** Proves from outside that it answers. @throws GatewardenError listen-failed */
  verify(signal: AbortSignal): Promise<void>;
  /** Tells its clients that the gateway drains; from now on nothing new is kept open. */
  drain(): void;
  /** Ends every connection, those in use after `graceMs`; may be called twice. */
  close(graceMs: number): Promise<void>;
  /** Tells whoever listens to a conversation what nobody there asked for. */
  announce?(news: Announcement): void;
  report(): PlatformReport;
  /** where it is reached; undefined: not yet, or nowhere */
  address(): string | undefined;
}
