import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf, GatewardenError } from '../../src/core/errors.js';
import { type Ran, runProgram } from '../run-program.js';
import type { Account } from '../service.js';
import type { ManagedState, UnitManager } from '../unit-manager.js';
import { judgeReach } from './judge-reach.js';
import { DOWN_FILE, S6_SEEDS } from './policy.js';
import { describeSlotState, parseSlotState, SLOT_FIELDS, type SlotState } from './slot-state.js';

/** A command to a supervise process or to svscan is a byte in a pipe. */
const QUICK_MS = 5000;
/** s6-supervise starts what it is told to start at once, or says why it cannot, and tries later. */
const UP_MS = 20_000;
/** s6-svscan looks at once when it is told to. */
const SUPERVISED_MS = 10_000;
const LOOK_EVERY_MS = 50;
/** exit code of s6's tools for words that they do not know */
const USAGE = 100;
const OLD_WORDS: Readonly<Record<string, string>> = { '-U': '-u', '-D': '-d' };
/** exit code of s6-svok: no s6-supervise runs on it */
const SVOK_NOT_YET = 1;
/** what an outer wait leaves the inner one to say that it was too long */
const MARGIN_MS = 5000;

/** s6-svscan over a scan directory. */
export function createS6Manager(scanDirectory: string): UnitManager {
  const slot = (name: string) => join(scanDirectory, name);
  return {
    preflight: async (one) => judgeReach(scanDirectory, one),
    async settle(names) {
      await s6(['s6-svscanctl', '-an', scanDirectory]);
      await Promise.all(names.map((name) => untilSupervised(slot(name))));
    },
    async order(verb, name, limitMs) {
      switch (verb) {
        case 'start':
          return start(slot(name));
        case 'restart':
          // in two steps: finish answers the old one's 0 with "for good", which beats a -u before it
          await stop(slot(name), '-d', limitMs);
          return start(slot(name));
        case 'stop':
          return stop(slot(name), '-D', limitMs);
        case 'enable':
          return enable(slot(name));
        case 'disable':
          return writeFileSync(join(slot(name), DOWN_FILE), '');
        default:
          return verb satisfies never;
      }
    },
    state: (name) => stateOf(slot(name)),
  };
}

/**
 * In a slot that s6-svscan has not seen yet: what s6-supervise would make as root, made for the
 * service's account, so that it can command its own slot (spec/supervision.md 3.3).
 */
export async function seedSlot(slot: string, owner: Account): Promise<void> {
  for (const base of [slot, join(slot, 'log')]) {
    for (const { path, kind, mode } of S6_SEEDS) {
      const full = join(base, path);
      // Node has no call for a fifo
      if (kind === 'fifo') await s6(['mkfifo', full]);
      else mkdirSync(full);
      chownSync(full, owner.uid, owner.gid);
      // after chown, which clears the set-gid bit
      chmodSync(full, mode);
    }
  }
}

/**
 * Until it has been up: what it was before must not be taken for what came of it. -U also takes
 * the `down` file away, by the hand of s6-supervise: the folder may be root's, the pipe is ours.
 */
async function start(slot: string): Promise<void> {
  await untilSupervised(slot);
  await svc(['-wu', '-T', String(UP_MS), '-U'], slot, UP_MS + MARGIN_MS);
}

/** Without the right to write in the folder, by way of the pipe; that starts it, too. */
async function enable(slot: string): Promise<void> {
  try {
    rmSync(join(slot, DOWN_FILE), { force: true });
  } catch (thrown) {
    if (errnoOf(thrown) !== 'EACCES') throw thrown;
    await svc(['-U'], slot, QUICK_MS);
  }
}

/** Until it is down and its finish has ended; with -D it stays so, also when s6 is started again. */
function stop(slot: string, how: '-d' | '-D', limitMs: number): Promise<void> {
  const limit = String(Math.ceil(limitMs));
  return svc(['-wD', '-T', limit, how], slot, limitMs + MARGIN_MS);
}

/** s6-svscan takes a new slot up a moment after it was told to look; commands before that are lost. */
async function untilSupervised(slot: string): Promise<void> {
  const deadline = performance.now() + SUPERVISED_MS;
  // what is late is told by whatever is asked of it next
  while (performance.now() < deadline) {
    const { code } = await runProgram([tool('s6-svok'), slot], { timeoutMs: QUICK_MS });
    if (code !== SVOK_NOT_YET) return;
    await delay(LOOK_EVERY_MS);
  }
}

async function stateOf(slot: string): Promise<ManagedState> {
  const look = `s6-svstat ${slot}`;
  const { code, stdout } = await runProgram(
    [tool('s6-svstat'), '-o', SLOT_FIELDS.join(','), slot],
    { timeoutMs: QUICK_MS },
  );
  const state = await withoutBlankEnd(slot, parseSlotState(code === 0 ? stdout : ''));
  return {
    isInstalled: existsSync(join(slot, 'run')),
    pid: state.pid,
    isReady: state.isUp && state.isReady,
    isResting: !state.isUp && !state.isWantedUp,
    isFailed: false,
    exitCode: state.isUp ? undefined : state.exitCode,
    words: code === 0 ? describeSlotState(state) : 'not supervised',
    look,
  };
}

/** s6-svstat calls what never ran "exitcode 0"; only the record of deaths tells them apart. */
async function withoutBlankEnd(slot: string, state: SlotState): Promise<SlotState> {
  if (state.isUp || state.exitCode !== 0) return state;
  const { code, stdout } = await runProgram([tool('s6-svdt'), slot], { timeoutMs: QUICK_MS });
  return code === 0 && stdout === '' ? { ...state, exitCode: undefined } : state;
}

/** An s6 that does not know -U and -D yet leaves the file to us. */
async function svc(words: readonly string[], slot: string, timeoutMs: number): Promise<void> {
  const ran = await runProgram([tool('s6-svc'), ...words, slot], { timeoutMs });
  const isUsage = ran.code === USAGE && words.some((word) => word === '-U' || word === '-D');
  if (!isUsage) return refuseFailed(['s6-svc', ...words, slot], ran);
  if (words.includes('-U')) rmSync(join(slot, DOWN_FILE), { force: true });
  else writeFileSync(join(slot, DOWN_FILE), '');
  await s6(['s6-svc', ...words.map((word) => OLD_WORDS[word] ?? word), slot], timeoutMs);
}

async function s6(argv: readonly [string, ...string[]], timeoutMs = QUICK_MS): Promise<void> {
  const [name, ...args] = argv;
  refuseFailed(argv, await runProgram([tool(name), ...args], { timeoutMs }));
}

/** @throws GatewardenError manager-failed */
function refuseFailed(argv: readonly string[], ran: Ran): void {
  if (ran.code === 0) return;
  const what = argv.join(' ');
  throw new GatewardenError('manager-failed', {
    what,
    reason: ran.stderr.trim().split('\n')[0] || `it ended with ${ran.code ?? 'no code in time'}`,
    hint: `try it by hand: ${what}`,
  });
}

/** s6-overlay puts its tools where only processes below it have a path to. */
function tool(name: string): string {
  const overlay = join('/command', name);
  return existsSync(overlay) ? overlay : name;
}
