import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { ownerPath } from '../../../src/store/lock-owner.js';
import { identityOf } from '../../../src/store/process-table.js';
import { type FixtureProcess, startFixture } from '../../support/fixture-process.js';
import { until } from '../../support/until.js';

const isThorough = process.env['GATEWARDEN_THOROUGH'] === '1';
const RUNS = isThorough ? 60 : 5;
const PLAYERS = [0, 1, 2] as const;
type Player = (typeof PLAYERS)[number];
/** beyond the highest that Linux gives out */
const NEVER_A_PID = 4_194_305;

/** What stands beside the lock; only `true` names whoever wrote it last. */
type Hint = 'true' | 'none' | 'of the dead' | 'of a reused pid' | 'rubbish';

interface Model {
  holder: Player | undefined;
  /** stopped processes answer nothing, and keep what they have */
  readonly stopped: Set<Player>;
  hint: Hint;
}

/** Real processes that compete for a real file. */
class Host {
  readonly path: string;
  readonly #t: Test;
  readonly #players = new Map<Player, FixtureProcess>();

  constructor(t: Test, path: string) {
    this.#t = t;
    this.path = path;
  }

  async ask(player: Player, what: 'take' | 'free'): Promise<string> {
    const process = await this.processOf(player);
    const before = process.lines.length;
    process.tell(what);
    await until(`player ${player} answers`, () => process.lines.length > before);
    return process.lines[before] ?? '';
  }

  async processOf(player: Player): Promise<FixtureProcess> {
    const present = this.#players.get(player);
    if (present !== undefined) return present;
    const started = startFixture(this.#t, 'store/lock-player', [this.path]);
    this.#players.set(player, started);
    await started.says('ready');
    return started;
  }

  async kill(player: Player): Promise<void> {
    await this.#players.get(player)?.kill();
    this.#players.delete(player);
  }

  signal(player: Player, signal: NodeJS.Signals): void {
    this.#players.get(player)?.child.kill(signal);
  }

  async close(): Promise<void> {
    for (const player of PLAYERS) await this.kill(player);
  }
}

type Step = fc.AsyncCommand<Model, Host>;

class Take implements Step {
  readonly player: Player;
  constructor(player: Player) {
    this.player = player;
  }
  check = ({ stopped }: Readonly<Model>) => !stopped.has(this.player);
  async run(model: Model, host: Host): Promise<void> {
    const answer = await host.ask(this.player, 'take');
    if (model.holder === undefined) {
      if (answer !== 'held') throw new Error(`nobody has it, and the answer is: ${answer}`);
      model.holder = this.player;
      model.hint = 'true';
      return;
    }
    const { pid } = await host.processOf(model.holder);
    const isOwnAgain = model.holder === this.player;
    // whoever it is, only a record of the very process that lives is believed
    const expected = model.hint === 'true' ? `taken ${pid}` : 'taken 0';
    if (isOwnAgain ? !answer.startsWith('taken') : answer !== expected) {
      throw new Error(`pid ${pid} has it (hint: ${model.hint}), and the answer is: ${answer}`);
    }
  }
  toString = () => `take(${this.player})`;
}

class Free implements Step {
  readonly player: Player;
  constructor(player: Player) {
    this.player = player;
  }
  check = ({ stopped }: Readonly<Model>) => !stopped.has(this.player);
  async run(model: Model, host: Host): Promise<void> {
    await host.ask(this.player, 'free');
    if (model.holder !== this.player) return;
    model.holder = undefined;
    model.hint = 'none';
  }
  toString = () => `free(${this.player})`;
}

class Die implements Step {
  readonly player: Player;
  constructor(player: Player) {
    this.player = player;
  }
  check = () => true;
  async run(model: Model, host: Host): Promise<void> {
    await host.kill(this.player);
    model.stopped.delete(this.player);
    if (model.holder === this.player) model.holder = undefined;
  }
  toString = () => `kill -9 (${this.player})`;
}

class Stop implements Step {
  readonly player: Player;
  constructor(player: Player) {
    this.player = player;
  }
  check = ({ stopped }: Readonly<Model>) => !stopped.has(this.player);
  async run(model: Model, host: Host): Promise<void> {
    await host.processOf(this.player);
    host.signal(this.player, 'SIGSTOP');
    model.stopped.add(this.player);
  }
  toString = () => `stop(${this.player})`;
}

class Continue implements Step {
  readonly player: Player;
  constructor(player: Player) {
    this.player = player;
  }
  check = ({ stopped }: Readonly<Model>) => stopped.has(this.player);
  async run(model: Model, host: Host): Promise<void> {
    host.signal(this.player, 'SIGCONT');
    model.stopped.delete(this.player);
  }
  toString = () => `continue(${this.player})`;
}

/** Somebody, or a restored backup, writes beside the lock what is not true; or into it. */
class Lie implements Step {
  readonly hint: Exclude<Hint, 'true'>;
  readonly intoLock: boolean;
  constructor(hint: Exclude<Hint, 'true'>, intoLock: boolean) {
    this.hint = hint;
    this.intoLock = intoLock;
  }
  check = () => true;
  run(model: Model, host: Host): Promise<void> {
    const path = ownerPath(host.path);
    if (this.hint === 'none') rmSync(path, { force: true });
    else writeFileSync(path, this.hint === 'rubbish' ? '{"pid":' : lieOf(this.hint));
    if (this.intoLock) writeFileSync(host.path, 'this is no lock');
    model.hint = this.hint;
    return Promise.resolve();
  }
  toString = () => `lie(${this.hint}${this.intoLock ? ', and into the lock' : ''})`;
}

/** The pid of this very test, which lives, but not since then. */
function lieOf(hint: 'of the dead' | 'of a reused pid'): string {
  const own = identityOf(process.pid);
  const pid = hint === 'of the dead' ? NEVER_A_PID : process.pid;
  const identity = { pid, startTicks: 1, bootId: own?.bootId };
  return JSON.stringify({ identity, home: '/home', startedAt: 0 });
}

const player = fc.constantFrom(...PLAYERS);
const lies = fc.constantFrom<Exclude<Hint, 'true'>>(
  'none',
  'of the dead',
  'of a reused pid',
  'rubbish',
);
const COMMANDS = [
  player.map((one) => new Take(one)),
  player.map((one) => new Take(one)),
  player.map((one) => new Free(one)),
  player.map((one) => new Die(one)),
  player.map((one) => new Stop(one)),
  player.map((one) => new Continue(one)),
  fc.tuple(lies, fc.boolean()).map(([hint, intoLock]) => new Lie(hint, intoLock)),
];

t.test(
  'of processes that die, stop, lie and reuse pids one at most has the lock, and the next gets it',
  { timeout: 400_000, skip: process.platform !== 'linux' && 'start times are from /proc' },
  async (t) => {
    const directory = mkdtempSync('/tmp/gw-');
    t.teardown(() => rmSync(directory, { recursive: true, force: true }));
    let count = 0;
    let steps = 0;
    const property = fc.asyncProperty(
      fc.commands(COMMANDS, { maxCommands: 14 }),
      async (commands) => {
        const host = new Host(t, join(directory, `lock-${count++}`));
        const model: Model = { holder: undefined, stopped: new Set(), hint: 'none' };
        try {
          await fc.asyncModelRun(() => ({ model, real: host }), commands);
          steps += [...commands].length;
        } finally {
          await host.close();
        }
      },
    );
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
    t.comment(`${steps} steps of real processes in ${RUNS} lives of a lock`);
    t.pass('the model and the kernel agree');
  },
);
