/** A server-sent event stream as a web stream, with comments that keep silent connections alive. */

export interface EventStream {
  readonly body: ReadableStream<Uint8Array>;
  /** one event with JSON data; ignored once the stream has ended */
  send(data: unknown): void;
  /** for whoever looks at the raw stream; clients ignore it */
  comment(text: string): void;
  /** `data: [DONE]` and the end */
  done(): void;
  /** the end without a last word */
  end(): void;
}

export function createEventStream(keepaliveMs: number): EventStream {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
    cancel: () => stop(),
  });
  const write = (text: string) => {
    // also because refreshing a cleared timer would arm it again
    if (controller === undefined) return;
    controller.enqueue(encoder.encode(text));
    keepalive.refresh();
  };
  const keepalive = setInterval(() => write(': keepalive\n\n'), keepaliveMs).unref();
  const stop = () => {
    clearInterval(keepalive);
    controller = undefined;
  };
  const end = () => {
    const open = controller;
    stop();
    open?.close();
  };
  return {
    body,
    send: (data) => write(`data: ${JSON.stringify(data)}\n\n`),
    comment: (text) => write(`: ${text.replace(/[\r\n]+/g, ' ')}\n\n`),
    done: () => {
      write('data: [DONE]\n\n');
      end();
    },
    end,
  };
}
