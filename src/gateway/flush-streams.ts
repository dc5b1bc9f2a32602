/** The parts of a process that write to its parent. */
export interface StandardStreams {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
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
