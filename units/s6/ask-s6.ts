import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { GatewardenError } from '../../src/core/errors.js';
import { runProgram } from '../run-program.js';
import type { Account } from '../service.js';
import type { ManagedState, UnitManager } from '../unit-manager.js';
import { S6_SEEDS } from './policy.js';
import { describeSlotState, parseSlotState, SLOT_FIELDS } from './slot-state.js';

/** A command to a supervise process or to svscan is a byte in a pipe. */
const QUICK_MS = 5000;
/** what an outer wait leaves the inner one to say that it was too long */
const MARGIN_MS = 5000;

/** s6-svscan over a scan directory. */
export function createS6Manager(scanDirectory: string): UnitManager {
  const slot = (name: string) => join(scanDirectory, name);
  return {
    preflight: async () => {
      if (isScanned(scanDirectory)) return { kind: 'ready', runtimeDir: undefined };
      return {
        kind: 'missing',
        because: `no s6-svscan looks at ${scanDirectory} (or not one that we may command)`,
        remedy: 'set S6_PROFILE_GATEWAY_SCANDIR to its scan directory, and run it as its account',
      };
    },
    settle: () => s6(['s6-svscanctl', '-an', scanDirectory]),
    async order(verb, name, limitMs) {
      switch (verb) {
        case 'start':
          return s6(['s6-svc', '-u', slot(name)]);
        case 'restart':
          // in two steps: finish answers the old one's 0 with "for good", which beats a -u before it
          await stop(slot(name), limitMs);
          return s6(['s6-svc', '-u', slot(name)]);
        case 'stop':
          return stop(slot(name), limitMs);
        case 'enable':
          return rmSync(join(slot(name), 'down'), { force: true });
        case 'disable':
          return writeFileSync(join(slot(name), 'down'), '');
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

/** Until it is down and its finish has ended. */
function stop(slot: string, limitMs: number): Promise<void> {
  const limit = String(Math.ceil(limitMs));
  return s6(['s6-svc', '-d', '-wD', '-T', limit, slot], limitMs + MARGIN_MS);
}

async function stateOf(slot: string): Promise<ManagedState> {
  const look = `s6-svstat ${slot}`;
  const { code, stdout } = await runProgram(
    [tool('s6-svstat'), '-o', SLOT_FIELDS.join(','), slot],
    { timeoutMs: QUICK_MS },
  );
  const state = parseSlotState(code === 0 ? stdout : '');
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

async function s6(argv: readonly [string, ...string[]], timeoutMs = QUICK_MS): Promise<void> {
  const [name, ...args] = argv;
  const ran = await runProgram([tool(name), ...args], { timeoutMs });
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

function isScanned(scanDirectory: string): boolean {
  try {
    accessSync(join(scanDirectory, '.s6-svscan', 'control'), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
