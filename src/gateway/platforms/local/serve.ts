import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { clampTimerMs } from '../../../core/durations.js';
import type { FromChat, ParsedLine, ToChat } from '../../../core/local-protocol.js';
import { parseControlCommand } from '../../turns/control-command.js';
import type { InboundMessage } from '../../turns/inbound.js';
import { renderNote } from '../../turns/notes.js';
import type { Announcement, PlatformHost } from '../port.js';
import { brokenLine } from './errors.js';
import { LineReader } from './inbound.js';
import { sendLine } from './outbound.js';
import { renderControl, renderOutcome } from './render.js';

export interface LocalParts {
  readonly platform: string;
  readonly host: PlatformHost;
  /** told when the client begins to take part in a conversation */
  readonly onJoin: (chatId: string | undefined) => void;
}

const RESTART_ANSWERS = Object.freeze({
  begun: 'Restarting: what runs may finish, new messages are taken again in a moment.',
  'under-way': 'A restart is under way already.',
});

type ChatMessage = Extract<FromChat, { code: 'message' }>;

/** One client of the local socket; its leaving cuts its turns off. */
export class LocalConnection {
  readonly #socket: Socket;
  readonly #parts: LocalParts;
  readonly #caller = new AbortController();
  readonly #answers = new Set<Promise<void>>();
  /** conversations that this client takes part in */
  readonly #sessions = new Set<string | undefined>();

  constructor(socket: Socket, parts: LocalParts) {
    this.#socket = socket;
    this.#parts = parts;
    // each of its turns waits for its leaving, and there may be any number of them
    setMaxListeners(0, this.#caller.signal);
    const reader = new LineReader();
    const leave = () => this.#caller.abort();
    socket.on('data', (piece: Buffer) => {
      for (const line of reader.take(piece)) this.#take(line);
    });
    // who closes its side and who is gone look the same from here, so both have left
    socket.on('end', () => {
      leave();
      socket.end();
    });
    socket.on('close', leave);
    // a reset is followed by close, which says all there is to say
    socket.on('error', () => {});
    const { profile, version } = parts.host;
    this.send({ code: 'welcome', profile, version });
  }

  send(message: ToChat): void {
    sendLine(this.#socket, message);
  }

  #sendIfAny(message: ToChat | undefined): void {
    if (message !== undefined) this.send(message);
  }

  /** What nobody asked for. @returns whether the client takes part in the conversation */
  announce({ chatId, turnId, text }: Announcement): boolean {
    if (!this.#sessions.has(chatId)) return false;
    this.send({ code: 'notice', session: chatId ?? null, turn: turnId, text });
    return true;
  }

  /** The last lines leave first, but a client that does not read them cannot hold us. */
  async end(graceMs: number): Promise<void> {
    const socket = this.#socket;
    if (socket.destroyed) return;
    const timer = setTimeout(() => socket.destroy(), clampTimerMs(graceMs));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    // a turn that has just ended is still on its way to here
    await Promise.race([Promise.all(this.#answers), closed]);
    socket.end(() => socket.destroy());
    await closed;
    clearTimeout(timer);
  }

  #take(line: ParsedLine<FromChat>): void {
    const answer = this.#answer(line)
      .catch(this.#parts.host.onBroken)
      .finally(() => this.#answers.delete(answer));
    this.#answers.add(answer);
  }

  async #answer(line: ParsedLine<FromChat>): Promise<void> {
    if (line.kind === 'broken') return this.send(brokenLine(line.expected, line.got));
    const { message } = line;
    const { host, platform } = this.#parts;
    switch (message.code) {
      case 'message':
        return this.#sendIfAny(await this.#answerMessage(message));
      case 'new':
        host.turns.renew(platform, message.session);
        return this.send({ code: 'renewed' });
      case 'stop':
        return this.send({ code: 'stopped', found: host.turns.stop(platform, message.session) });
      case 'rescan':
        return this.send(rescanned(host));
      default:
        return message satisfies never;
    }
  }

  async #answerMessage(message: ChatMessage): Promise<ToChat | undefined> {
    const { host, platform } = this.#parts;
    const { session, text } = message;
    if (!this.#sessions.has(session)) {
      this.#sessions.add(session);
      this.#parts.onJoin(session);
    }
    const command = parseControlCommand(text);
    switch (command) {
      case undefined:
        return renderOutcome(await host.turns.submit(this.#toInbound(message)));
      case 'stop':
        return renderControl(
          host.turns.stop(platform, session) ? 'Stopped.' : 'Nothing was running.',
        );
      case 'new':
        host.turns.renew(platform, session);
        return renderControl('A new conversation.');
      case 'restart':
        return this.#restart(session);
      default:
        return command satisfies never;
    }
  }

  /** The answer leaves first: who asked must not be cut off by what was asked for. */
  #restart(session: string | undefined): undefined {
    const { host, platform } = this.#parts;
    const where = session === undefined ? platform : `${platform} (${session})`;
    const ticket = host.restart.ask(`/restart in ${where}`);
    sendLine(this.#socket, renderControl(RESTART_ANSWERS[ticket.kind]), ticket.answered);
  }

  #toInbound({ session, text, id }: ChatMessage): InboundMessage {
    return {
      platform: this.#parts.platform,
      conversation: { kind: 'stored', chatId: session },
      text,
      messageId: id,
      maxTokens: undefined,
      workKind: 'turn',
      onDelta: (delta, { turnId }) => this.send({ code: 'delta', turn: turnId, text: delta }),
      onNote: (note, { turnId }) =>
        this.send({ code: 'note', turn: turnId, text: renderNote(note) }),
      signal: this.#caller.signal,
    };
  }
}

/** Whom a supervised gateway serves is told by its supervisor alone. */
function rescanned({ profile, rescan }: PlatformHost): ToChat {
  if (rescan !== undefined) return { code: 'rescanned', served: rescan() };
  return brokenLine(`expected a gateway that decides whom it serves`, `that of ${profile}`);
}
