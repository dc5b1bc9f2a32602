import type { OutputStream } from '../generation/generation.js';

/** Enough for a stack trace, small enough for fifty children. */
const KEPT_LINES = 20;
const KEPT_LINE_LENGTH = 500;

/** The newest lines of a generation's output; stderr is what people need when it died. */
export class LastLines {
  readonly #lines: Record<OutputStream, string[]> = { stdout: [], stderr: [] };

  add(stream: OutputStream, line: string): void {
    const lines = this.#lines[stream];
    lines.push(line.slice(0, KEPT_LINE_LENGTH));
    if (lines.length > KEPT_LINES) lines.shift();
  }

  /** stderr, or stdout where stderr is silent; oldest first */
  get shown(): readonly string[] {
    return this.#lines.stderr.length > 0 ? this.#lines.stderr : this.#lines.stdout;
  }

  /**
   * What it said last: the last line of stderr, or of stdout where stderr is silent. A record of
   * a structured log is no explanation.
   */
  get last(): string | undefined {
    return this.shown.findLast((line) => line.trim() !== '' && !line.startsWith('{'));
  }
}
