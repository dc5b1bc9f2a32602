import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Asks on stderr, so that stdout stays the result's; anything but yes is no. */
export function confirm(question: string, input: Readable): Promise<boolean> {
  const lines = createInterface({ input, output: process.stderr });
  return new Promise((resolve) => {
    lines.question(`${question} [y/N] `, (answer) => {
      resolve(/^y(es)?$/i.test(answer.trim()));
      lines.close();
    });
    lines.once('close', () => resolve(false));
  });
}
