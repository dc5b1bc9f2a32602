/** What went wrong with a request to a model, apart from any library's classes. */
export type ModelFault =
  | {
      readonly kind: 'status';
      readonly status: number;
      /** the API's own code, such as context_length_exceeded */
      readonly code: string | undefined;
      readonly message: string;
      readonly retryAfter: string | undefined;
    }
  | { readonly kind: 'connection'; readonly message: string }
  /** nothing came for the whole time-out */
  | { readonly kind: 'silence'; readonly timeoutMs: number }
  /** the stream broke off in the middle of the answer */
  | { readonly kind: 'broken-stream'; readonly message: string };

/** Reads a fault out of whatever the client library threw. */
export function readFault(thrown: unknown): ModelFault {
  const fields = isObject(thrown) ? thrown : {};
  if (typeof fields.status === 'number') {
    return {
      kind: 'status',
      status: fields.status,
      code: typeof fields.code === 'string' ? fields.code : undefined,
      message: ownMessage(fields),
      retryAfter: readHeader(fields.headers, 'retry-after'),
    };
  }
  // an error that the model sent inside its stream
  if (isObject(fields.error)) return { kind: 'broken-stream', message: ownMessage(fields) };
  return { kind: 'connection', message: deepestMessage(thrown) };
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** The server's words where there are some, else the library's. */
function ownMessage(fields: Fields): string {
  if (isObject(fields.error) && typeof fields.error.message === 'string') {
    return fields.error.message;
  }
  return typeof fields.message === 'string' ? fields.message : 'no message';
}

function readHeader(headers: unknown, name: string): string | undefined {
  return headers instanceof Headers ? (headers.get(name) ?? undefined) : undefined;
}

/** `fetch failed` says nothing; what caused it does. */
function deepestMessage(thrown: unknown): string {
  let error = thrown;
  while (error instanceof Error && error.cause instanceof Error) error = error.cause;
  if (!(error instanceof Error)) return String(error);
  // several addresses were tried: the first one's failure stands for all
  if (error instanceof AggregateError && error.errors[0] instanceof Error) {
    return error.errors[0].message;
  }
  return error.message;
}
