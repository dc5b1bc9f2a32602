/** The parts of a process that write to its parent. */
export interface StandardStreams {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}

/** A reader that is gone (EPIPE) ends nothing and is not written about: that would loop. */
export function ignoreBrokenStreams({ stdout, stderr }: StandardStreams): void {
  stdout.on('error', () => {});
  stderr.on('error', () => {});
}

/** Resolves once what was written has left, or could not. */
export async function flushStreams({ stdout, stderr }: StandardStreams): Promise<void> {
  await Promise.all([stdout, stderr].map(flush));
}

function flush(stream: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve) => {
    if (!stream.writable) return resolve();
    stream.write('', () => resolve());
  });
}
