import fc from 'fast-check';
import t from 'tap';
import { decideGuard, type GuardFacts, type MultiplexerFacts } from '../../../src/core/guard.js';
import type { Owner } from '../../../src/core/owner.js';
import { isSameProcess } from '../../../src/core/process-identity.js';

/**
 * A host with processes that start, die, stop (SIGSTOP), lie in their records and take the pids
 * of the dead, against the guard as every start uses it: look, decide, take the lock.
 */
interface Process {
  readonly pid: number;
  readonly startTicks: number;
  readonly profile: string;
  alive: boolean;
  stopped: boolean;
  serves: string[];
}

interface Host {
  processes: Process[];
  /** the kernel's: by profile, freed by death alone */
  locks: Map<string, Process>;
  /** what lies in state/gateway.json: survives its writer, may be a lie */
  records: Map<string, { pid: number; startTicks: number; serves: string[]; multiplexer: boolean }>;
  ticks: number;
  multiplexes: boolean;
}

interface Real {
  /** every process that was ever ended by a replacement */
  readonly ended: { readonly victim: Process; readonly wanted: string }[];
}

const PROFILES = ['default', 'a', 'b'] as const;
const PIDS = [10, 11, 12, 13];

const holder = (host: Host, profile: string) => {
  const process = host.locks.get(profile);
  return process?.alive === true ? process : undefined;
};
const livingAt = (host: Host, pid: number) =>
  host.processes.find((one) => one.alive && one.pid === pid);

function ownerOf(pid: number, startTicks: number, profile: string): Owner {
  return { identity: { pid, startTicks, bootId: 'b' }, home: '/h', profile, startedAt: 0 };
}

/** As the real observation does: a record counts only while its very process lives. */
function observe(host: Host, profile: string, flags: GuardFacts['flags']): GuardFacts {
  const own = holder(host, profile);
  const record = host.records.get('default');
  const writer = record && livingAt(host, record.pid);
  const isWriter =
    record !== undefined &&
    writer !== undefined &&
    isSameProcess(
      { pid: writer.pid, startTicks: writer.startTicks, bootId: 'b' },
      { pid: record.pid, startTicks: record.startTicks, bootId: 'b' },
    );
  const multiplexer: MultiplexerFacts | undefined =
    record === undefined || !isWriter
      ? undefined
      : {
          owner: ownerOf(record.pid, record.startTicks, 'default'),
          liveness: 'alive',
          answer: writer?.stopped ? 'silent' : 'serving',
          served: record.serves,
          isMultiplexer: record.multiplexer,
          hasRescanned: true,
        };
  return {
    action: 'run',
    profile,
    own: own && {
      owner: ownerOf(own.pid, own.startTicks, profile),
      liveness: 'alive',
      answer: own.stopped ? 'silent' : 'serving',
    },
    supervisor: undefined,
    multiplexer,
    configuration: { multiplexes: host.multiplexes, allowlist: undefined },
    managedBy: undefined,
    flags,
    isOwnAncestor: false,
  };
}

class Start implements fc.Command<Host, Real> {
  readonly profile: string;
  readonly replace: boolean;
  readonly serves: boolean;

  constructor(profile: string, replace: boolean, serves: boolean) {
    this.profile = profile;
    this.replace = replace;
    this.serves = serves;
  }
  check = (host: Readonly<Host>) => PIDS.some((pid) => livingAt(host as Host, pid) === undefined);
  run(host: Host, real: Real): void {
    const flags = { force: false, replace: this.replace, supervisedChild: false };
    let decision = decideGuard(observe(host, this.profile, flags));
    if (decision.kind === 'replace') {
      const { identity } = decision.target;
      const victim = livingAt(host, identity.pid);
      if (victim !== undefined && victim.startTicks === identity.startTicks) {
        victim.alive = false;
        real.ended.push({ victim, wanted: this.profile });
      }
      decision = decideGuard(observe(host, this.profile, flags));
    }
    const present = holder(host, this.profile);
    const server = this.serverOf(host);
    if (decision.kind === 'start') {
      if (present !== undefined) throw new Error(`started beside pid ${present.pid}`);
      if (server !== undefined) throw new Error(`started although pid ${server.pid} serves it`);
      this.begin(host);
      return;
    }
    if (present === undefined && server === undefined && !this.isOpen(host)) {
      throw new Error(`refused (${JSON.stringify(decision)}) although nobody has it`);
    }
    const isHealthy = (present ?? server)?.stopped === false;
    if (decision.kind === 'refuse' && decision.because === 'running' && !isHealthy) {
      throw new Error('refused for good although its owner does not answer');
    }
  }
  /** the configuration gives it to a living multiplexer that does not serve it */
  isOpen(host: Host): boolean {
    const record = host.records.get('default');
    return (
      host.multiplexes && record?.multiplexer === true && livingAt(host, record.pid) !== undefined
    );
  }
  serverOf(host: Host): Process | undefined {
    if (this.profile === 'default') return undefined;
    const server = holder(host, 'default');
    return server?.serves.includes(this.profile) ? server : undefined;
  }
  begin(host: Host): void {
    const pid = PIDS.find((one) => livingAt(host, one) === undefined) ?? 0;
    const others = PROFILES.filter((one) => one !== 'default' && holder(host, one) === undefined);
    const serves = this.profile === 'default' && this.serves ? others : [];
    const process = {
      pid,
      startTicks: ++host.ticks,
      profile: this.profile,
      alive: true,
      stopped: false,
      serves,
    };
    host.processes.push(process);
    host.locks.set(this.profile, process);
    const { startTicks } = process;
    const multiplexer = serves.length > 0;
    host.records.set(this.profile, { pid, startTicks, serves, multiplexer });
  }
  toString = () => `start ${this.profile}${this.replace ? ' --replace' : ''}`;
}

class Happen implements fc.Command<Host, Real> {
  readonly what: 'die' | 'stop' | 'continue' | 'stranger' | 'lie' | 'configure';
  readonly at: number;

  constructor(what: Happen['what'], at: number) {
    this.what = what;
    this.at = at;
  }
  check = () => true;
  run(host: Host): void {
    const living = host.processes.filter((one) => one.alive);
    const one = living[this.at % Math.max(living.length, 1)];
    switch (this.what) {
      case 'die':
        if (one !== undefined) one.alive = false;
        return;
      case 'stop':
      case 'continue':
        if (one !== undefined) one.stopped = this.what === 'stop';
        return;
      case 'stranger': {
        // a pid of the dead goes to somebody who has nothing to do with us
        const pid = PIDS[this.at % PIDS.length] ?? 0;
        if (livingAt(host, pid) !== undefined) return;
        const fresh = { pid, startTicks: ++host.ticks, profile: '', stopped: false, serves: [] };
        host.processes.push({ ...fresh, alive: true });
        return;
      }
      case 'lie': {
        // a record whose writer is dead says that it serves everybody
        const record = host.records.get('default');
        const writer = record && livingAt(host, record.pid);
        if (record === undefined || writer?.startTicks === record.startTicks) return;
        host.records.set('default', { ...record, serves: ['a', 'b'], multiplexer: true });
        return;
      }
      case 'configure':
        host.multiplexes = !host.multiplexes;
        return;
      default:
        this.what satisfies never;
    }
  }
  toString = () => `${this.what} ${this.at}`;
}

t.test(
  'whatever dies, stops, lies or reuses a pid, nobody runs twice and nobody else is ended',
  async (t) => {
    const commands = [
      fc
        .tuple(fc.constantFrom(...PROFILES), fc.boolean(), fc.boolean())
        .map(([profile, replace, serves]) => new Start(profile, replace, serves)),
      fc
        .tuple(
          fc.constantFrom('die', 'stop', 'continue', 'stranger', 'lie', 'configure'),
          fc.nat(7),
        )
        .map(([what, at]) => new Happen(what as Happen['what'], at)),
    ];
    const property = fc.property(fc.commands(commands, { maxCommands: 40 }), (cmds) => {
      const real: Real = { ended: [] };
      const model: Host = {
        processes: [],
        locks: new Map(),
        records: new Map(),
        ticks: 0,
        multiplexes: false,
      };
      fc.modelRun(() => ({ model, real }), cmds);
      for (const { victim, wanted } of real.ended) {
        if (victim.profile !== wanted)
          throw new Error(`ended pid ${victim.pid} of ${victim.profile}`);
      }
    });
    const numRuns = process.env['GATEWARDEN_THOROUGH'] === '1' ? 20_000 : 500;
    fc.assert(property, { numRuns });
    t.pass(`${numRuns} histories`);
  },
);
