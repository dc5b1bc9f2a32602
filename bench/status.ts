import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { alternate, timed } from './measure.js';
import { type Figure, ms, times } from './report.js';
import { BenchHome, CLI, RunningSupervisor } from './supervisor.js';

const ROUNDS = 15;
const WANTED_RATIO = 2.5;

/** The command that people and scripts run most, against Node doing nothing. */
export async function measureStatus(): Promise<Figure> {
  const home = new BenchHome({ default: '' });
  const supervisor = new RunningSupervisor(home);
  try {
    await supervisor.allReady();
    const { left: statusMs, right: nodeMs } = await alternate(
      ROUNDS,
      () => run([CLI, 'status'], home.env),
      () => run(['-e', '0'], home.env),
    );
    const ratio = statusMs / nodeMs;
    return {
      what: 'gatewarden status, against node -e 0',
      wanted: `≤ ${WANTED_RATIO}×`,
      got: times(ratio),
      isMet: ratio <= WANTED_RATIO,
      from: `${ms(statusMs)} and ${ms(nodeMs)}, medians of ${ROUNDS}`,
    };
  } finally {
    await supervisor.stop();
    home.remove();
  }
}

function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return timed(async () => {
    const child = spawn(process.execPath, args, { env, stdio: 'ignore' });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  });
}
