/** What a gateway writes to its standard output, which its supervisor keeps: one JSON line each. */
export interface GatewayLog {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** pino's numbers, so that the same readers understand both. */
const LEVELS = { info: 30, warn: 40, error: 50 } as const;

/** A constant text with fields beside it; `write` gets whole lines. */
export function createLog(write: (line: string) => void, base: LogFields): GatewayLog {
  const at =
    (level: number) =>
    (message: string, fields: LogFields = {}) =>
      write(`${JSON.stringify({ level, time: Date.now(), ...base, ...fields, msg: message })}\n`);
  return { info: at(LEVELS.info), warn: at(LEVELS.warn), error: at(LEVELS.error) };
}
