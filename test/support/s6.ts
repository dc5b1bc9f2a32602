import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { withReal } from './real-part.js';
import { runProgram } from './run-program.js';
import { until } from './until.js';
import { cli } from './up.js';

/** For a test's options. */
export function withS6() {
  return withReal({
    programs: ['s6-svscan', 's6-supervise', 's6-log', 's6-svc', 's6-svstat', 'setpriv'],
    packages: ['s6', 'execline', 'util-linux'],
    needsRoot: false,
  });
}

const FIELDS = ['up', 'wantedup', 'ready', 'pid', 'exitcode', 'signal'] as const;
export type SlotState = Readonly<Record<(typeof FIELDS)[number], string>>;

/** A service directory under the real s6-supervise. */
export class Slot {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  async state(): Promise<SlotState> {
    const { stdout } = await runProgram(['s6-svstat', '-o', FIELDS.join(','), this.path], ENV);
    const words = stdout.trim().split(' ');
    return Object.fromEntries(FIELDS.map((name, n) => [name, words[n] ?? ''])) as SlotState;
  }

  async untilState(what: string, wanted: Partial<SlotState>): Promise<SlotState> {
    let last: SlotState | undefined;
    const holds = async () => {
      last = await this.state();
      return FIELDS.every((name) => wanted[name] === undefined || wanted[name] === last?.[name]);
    };
    await until(what, holds, { everyMs: 50 }).catch((error: unknown) => {
      throw new Error(`${String(error)}; s6-svstat says ${JSON.stringify(last)}`);
    });
    return last ?? this.state();
  }

  /** Ready in another process than before. */
  async untilReady(before?: string): Promise<SlotState> {
    let last: SlotState | undefined;
    await until('the slot is ready', async () => {
      last = await this.state();
      return last.ready === 'true' && last.pid !== before;
    });
    return last ?? this.state();
  }

  /** Sends commands by s6-svc. */
  async send(...words: string[]): Promise<void> {
    const { code, stderr } = await runProgram(['s6-svc', ...words, this.path], ENV);
    if (code !== 0) throw new Error(`s6-svc ${words.join(' ')}: ${stderr}`);
  }
}

const { PATH = '' } = process.env;
const ENV = { env: { PATH } };

/** A real s6-svscan on a scan directory of its own; it and its slots are gone after the test. */
export async function startSvscan(t: Test): Promise<string> {
  const scan = mkdtempSync('/tmp/gw-s6-');
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', '--', 's6-svscan', scan], {
    stdio: 'ignore',
    env: { PATH, HOME: '/nonexistent' },
  });
  const exited = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await exited;
    rmSync(scan, { recursive: true, force: true });
  });
  await until('s6-svscan runs', () => existsSync(join(scan, '.s6-svscan', 'control')));
  return scan;
}

/** Puts the slots that `units print` renders for a home under s6-svscan. */
export async function putSlots(scan: string, home: string, ...which: string[]): Promise<void> {
  const who = process.getuid?.() === 0 ? ['--run-as', 'root'] : [];
  const printed = await cli(home, 'units', 'print', 's6', ...who, '--out', scan, ...which);
  if (printed.code !== 0) throw new Error(`units print: ${printed.stderr}`);
  await runProgram(['s6-svscanctl', '-an', scan], ENV);
}
