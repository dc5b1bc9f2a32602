import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { alternate, timed, until } from './measure.js';
import { type Figure, ms, times } from './report.js';
import { BenchHome, freePort, RunningSupervisor, request } from './supervisor.js';

const ROUNDS = 7;
const WANTED_RATIO = 3;
const POLL_MS = 2;

const BARE_SERVER = `
  require('node:http').createServer((_, response) => response.end('ok'))
    .listen(Number(process.argv[1]), '127.0.0.1');`;

/** `up` until the API of a default profile says that it is ready, against a bare HTTP server. */
export async function measureReady(): Promise<Figure> {
  const { left: oursMs, right: bareMs } = await alternate(ROUNDS, upToReady, bareToFirstAnswer);
  const ratio = oursMs / bareMs;
  return {
    what: 'up → ready, against a bare HTTP server',
    wanted: `≤ ${WANTED_RATIO}×`,
    got: times(ratio),
    isMet: ratio <= WANTED_RATIO,
    from: `${ms(oursMs)} and ${ms(bareMs)}, medians of ${ROUNDS}`,
  };
}

async function upToReady(): Promise<number> {
  const port = await freePort();
  const home = new BenchHome({
    default: `platforms:\n  api_server: {enabled: true, port: ${port}}\n`,
  });
  let supervisor: RunningSupervisor | undefined;
  try {
    return await timed(async () => {
      supervisor = new RunningSupervisor(home);
      await answers(port, '/health/detailed');
    });
  } finally {
    await supervisor?.stop();
    home.remove();
  }
}

async function bareToFirstAnswer(): Promise<number> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['-e', BARE_SERVER, String(port)], { stdio: 'ignore' });
  await answers(port, '/');
  const tookMs = performance.now() - startedAt;
  child.kill('SIGKILL');
  await once(child, 'exit');
  return tookMs;
}

async function answers(port: number, path: string): Promise<void> {
  await until(
    `an answer of ${path}`,
    async () => ((await request({ port, path }))?.status === 200 ? true : undefined),
    { everyMs: POLL_MS },
  );
}
