import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Containment, chooseContainment, type Scope } from '../src/containment/index.js';
import { packageFile } from '../src/core/package-root.js';
import { alternate, timed, until } from './measure.js';
import type { Figure } from './report.js';

const ROUNDS = 5;

/** Ratios to a bare `cgroup.kill` of the same tree in the same run. */
const WANTED: readonly { readonly processes: number; readonly ratio: number }[] = [
  { processes: 100, ratio: 2 },
  { processes: 1000, ratio: 1.5 },
];

const AT_ONCE = { graceMs: 0, giveUpMs: 60_000, lookEveryMs: 20 };

/** How much longer a stop takes than what the kernel needs at least. */
export async function measureContainment(): Promise<readonly Figure[]> {
  const containment = chooseContainment({
    tag: `bench-${process.pid}`,
    leaf: 'supervisor',
    treeName: `gatewarden-bench-${process.pid}`,
  });
  try {
    if (containment.rung !== 'cgroup2') {
      throw new Error(`no cgroup rung: ${containment.weakerBecause}`);
    }
    const figures: Figure[] = [];
    for (const one of WANTED) figures.push(await measureOne(containment, one));
    return figures;
  } finally {
    await containment.close();
  }
}

async function measureOne(
  containment: Containment,
  { processes, ratio }: (typeof WANTED)[number],
): Promise<Figure> {
  let round = 0;
  const withTree = async (end: (scope: Scope) => Promise<unknown>): Promise<number> => {
    const scope = containment.openScope(`bench-${processes}-${++round}`);
    const child = await grow(scope, processes);
    const tookMs = await timed(() => end(scope));
    child.stdout?.destroy();
    scope.dispose();
    return tookMs;
  };
  const { left: ours, right: bare } = await alternate(
    ROUNDS,
    () => withTree((scope) => scope.end(AT_ONCE)),
    () => withTree(killBare),
  );
  const got = ours / bare;
  return {
    what: `stop of ${processes} processes until empty`,
    wanted: `≤ ${ratio} × cgroup.kill`,
    got: `${got.toFixed(2)} ×`,
    isMet: got <= ratio,
    from: `${ours.toFixed(1)} ms against ${bare.toFixed(1)} ms bare, medians of ${ROUNDS}`,
  };
}

async function grow(scope: Scope, processes: number) {
  const child = scope.spawn({
    argv: [packageFile('test', 'fixtures', 'grows-tree.py'), String(processes), 'setsid'],
    cwd: undefined,
    env: { PATH: `/usr/bin:${process.env['PATH']}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await until('the tree stands', () => (text.includes('\n') ? true : undefined));
  return child;
}

/** The least there is: one write, then look as often as the loop turns. */
async function killBare({ place = '' }: Scope): Promise<void> {
  writeFileSync(join(place, 'cgroup.kill'), '1');
  while (!readFileSync(join(place, 'cgroup.events'), 'utf8').includes('populated 0')) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
