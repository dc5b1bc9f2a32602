/** One line of a child's output as its log file keeps it: time, stream, text. */
export interface LogLine {
  /** epoch milliseconds */
  readonly at: number;
  /** `sys`: said by the supervisor about the child, such as dropped lines */
  readonly stream: 'out' | 'err' | 'sys';
  readonly text: string;
}

export function renderLogLine(line: LogLine): string {
  return `${new Date(line.at).toISOString()} ${line.stream} ${line.text}`;
}

const LOG_LINE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (out|err|sys) (.*)$/s;

/** Undefined for a line that is not in this form, such as the rest of one that was cut. */
export function parseLogLine(line: string): LogLine | undefined {
  const [, time, stream, text] = LOG_LINE.exec(line) ?? [];
  if (time === undefined || stream === undefined || text === undefined) return undefined;
  return { at: Date.parse(time), stream: stream as LogLine['stream'], text };
}
