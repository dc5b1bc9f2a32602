import { join } from 'node:path';
import t from 'tap';
import type { Job, JobPhase } from '../../../../src/core/control.js';
import { CLI_EXIT } from '../../../../src/core/exit-codes.js';
import type { ProfileStatus } from '../../../../src/core/status.js';
import {
  type Asked,
  type ControlServer,
  type Reply,
  startControlServer,
  writeHint,
} from '../../../support/control-server.js';
import { type CliResult, runCli, type Scope, scratchHome } from '../../../support/run-cli.js';
import { aProfile, aReport } from '../../../support/status-facts.js';

t.jobs = 2;

interface Scene {
  /** phases that the job shows, one per question; the last one stays */
  readonly phases: readonly JobPhase[];
  readonly before?: readonly ProfileStatus[];
  readonly after?: readonly ProfileStatus[];
  readonly onJob?: (times: number) => Reply | undefined;
}

interface Played {
  readonly result: CliResult;
  readonly asked: readonly Asked[];
}

function jobOf(profile: string, phase: JobPhase, detail: string | null = null): Job {
  return {
    id: `job-${profile}`,
    profile,
    verb: 'restart',
    phase,
    etaMs: phase === 'starting' ? 12_000 : null,
    detail,
    startedAt: new Date().toISOString(),
    finishedAt: null,
  };
}

/** Runs one verb against a supervisor that plays the scene. */
async function play(
  t: Scope,
  args: readonly string[],
  scene: Scene,
  env: Readonly<Record<string, string>> = {},
): Promise<Played> {
  const { before = [aProfile()], after = before, onJob, phases } = scene;
  const scratch = scratchHome(t);
  let ordered = false;
  let looks = 0;
  const server: ControlServer = await startControlServer(
    join(scratch.root, 'c.sock'),
    ({ method, path }) => {
      if (path === '/v1/status') {
        return { status: 200, body: aReport(...(ordered ? after : before)) };
      }
      const [, , kind = '', name = ''] = path.split('/');
      ordered = true;
      if (method === 'GET') looks++;
      const special = method === 'GET' ? onJob?.(looks) : undefined;
      if (special !== undefined) return special;
      const profile = kind === 'jobs' ? name.replace('job-', '') : name;
      return {
        status: 200,
        body: jobOf(profile, phases[Math.min(looks, phases.length - 1)] ?? 'done'),
      };
    },
  );
  t.teardown(() => server.close());
  writeHint(scratch.home, server.socketPath);
  const result = await runCli(args, { env: { ...scratch.env, ...env } });
  return { result, asked: server.asked };
}

const PARKED = aProfile({
  state: 'parked',
  pid: null,
  parked: {
    reason: 'config',
    detail: 'the key TOKEN has no value',
    remedy: 'set TOKEN in .env',
    since: new Date().toISOString(),
    retriesOn: 'config-change',
  },
});
const BACKING_OFF = aProfile({
  state: 'backoff',
  pid: null,
  lastExit: {
    code: 1,
    signal: null,
    cause: 'failure',
    uptimeMs: 812,
    at: new Date().toISOString(),
    evidence: null,
    detail: 'no route to host',
  },
});

for (const verb of ['start', 'restart', 'reload']) {
  t.test(
    `${verb} that was ready and parked since is refused, with reason and remedy`,
    async (t) => {
      const { result } = await play(t, [verb, 'coder'], { phases: ['done'], after: [PARKED] });
      t.equal(result.code, CLI_EXIT.refused);
      t.match(result.stdout, /^coder: parked \(config\): the key TOKEN has no value\n/);
      t.match(result.stdout, /next: set TOKEN in \.env/);
    },
  );

  t.test(`${verb} that was ready and died since has failed`, async (t) => {
    const { result } = await play(t, [verb, 'coder'], { phases: ['done'], after: [BACKING_OFF] });
    t.equal(result.code, CLI_EXIT.failed);
    t.match(result.stdout, /^coder: backing off after code 1 \(failure\)/);
  });
}

const TO_SERVED = { to: 'served', detail: 'it is on its way' } as const;
/** What a profile shows after a reload, one row per question, and what comes of that. */
const MOVES: Readonly<Record<string, readonly [readonly ProfileStatus[], number, RegExp]>> = {
  'has come': [
    [
      aProfile({ move: { ...TO_SERVED, phase: 'under-way' } }),
      aProfile({ state: 'draining', move: { ...TO_SERVED, phase: 'under-way' } }),
      aProfile({ state: 'served', pid: null, served: 'default' }),
    ],
    CLI_EXIT.done,
    /^coder: served after /m,
  ],
  'is back where it was': [
    [
      aProfile({ state: 'starting', move: { ...TO_SERVED, phase: 'under-way' } }),
      aProfile({ move: { to: 'served', phase: 'failed', detail: 'it could not be moved' } }),
    ],
    CLI_EXIT.failed,
    /^coder: it could not be moved\n.*try again with: gatewarden reload/m,
  ],
  'waits for a server that is down': [
    [aProfile({ move: { to: 'served', phase: 'waiting', detail: 'until that one is ready' } })],
    CLI_EXIT.unfinished,
    /^coder: until that one is ready\n/m,
  ],
};

for (const [what, [rows, code, expected]] of Object.entries(MOVES)) {
  t.test(`a reload that only moves a profile says so, and tells that it ${what}`, async (t) => {
    const scratch = scratchHome(t);
    let looks = -1;
    const server = await startControlServer(join(scratch.root, 'c.sock'), ({ path }) => {
      if (path === '/v1/reload') {
        looks = 0;
        const moves = [{ profile: 'coder', to: 'served' }];
        return { status: 200, body: { added: [], removed: [], changed: [], moves } };
      }
      const row = looks < 0 ? aProfile() : rows[Math.min(looks++, rows.length - 1)];
      return { status: 200, body: aReport(row ?? aProfile()) };
    });
    t.teardown(() => server.close());
    writeHint(scratch.home, server.socketPath);
    const result = await runCli(['reload'], { env: scratch.env });
    t.equal(result.code, code, result.stderr);
    t.match(
      result.stdout,
      'configuration read again: to be served by the gateway of default: coder\n',
    );
    t.match(result.stdout, expected);
    t.ok(looks >= rows.length, 'it waited for the last of them');
  });
}

t.test('a verb waits until the job is done and tells what was observed', async (t) => {
  const { result, asked } = await play(t, ['restart', 'coder', '--now'], {
    phases: ['draining', 'starting', 'done'],
    after: [aProfile({ pid: 4712 })],
  });
  t.equal(result.code, CLI_EXIT.done);
  t.match(result.stdout, /^coder: ready \(pid 4712\) after .*\n$/);
  t.match(
    result.stderr,
    /^coder: draining\ncoder: starting, about 12s left\n$/,
    'a line per phase',
  );
  const order = asked.find(({ method }) => method === 'POST');
  t.strictSame(order, {
    method: 'POST',
    path: '/v1/profiles/coder/restart',
    body: { now: true, by: 'cli' },
  });
});

t.test('-q leaves only the result', async (t) => {
  const { result } = await play(t, ['-q', 'restart', 'coder'], { phases: ['starting', 'done'] });
  t.equal(result.stderr, '');
  t.match(result.stdout, /^coder: ready/);
});

t.test('the exit code is what was observed, not what was asked', async (t) => {
  const parked = await play(t, ['start', 'coder'], { phases: ['failed'], after: [PARKED] });
  t.equal(parked.result.code, CLI_EXIT.refused);
  t.equal(
    parked.result.stdout,
    'coder: parked (config): the key TOKEN has no value\n  next: set TOKEN in .env\n',
  );
  const failing = await play(t, ['start', 'coder'], { phases: ['failed'], after: [BACKING_OFF] });
  t.equal(failing.result.code, CLI_EXIT.failed);
  t.match(
    failing.result.stdout,
    /^coder: backing off after code 1 \(failure\) after 812ms: no route to host\n {2}next: .*why coder\n$/,
  );
});

t.test('a wait that runs out says so with phase and time left', async (t) => {
  const { result } = await play(t, ['start', 'coder', '--timeout', '0.2'], {
    phases: ['starting'],
  });
  t.equal(result.code, CLI_EXIT.unfinished);
  t.match(
    result.stdout,
    /^not finished yet: coder: starting, about 12s left\n {2}next: it goes on/,
  );
});

t.test('--no-wait asks and leaves', async (t) => {
  const { result, asked } = await play(t, ['stop', 'coder', '--no-wait'], { phases: ['draining'] });
  t.equal(result.code, CLI_EXIT.done);
  t.equal(result.stdout, 'coder: stop was asked for (draining)\n');
  t.notOk(asked.some(({ path }) => path.startsWith('/v1/jobs/')));
});

t.test('a supervisor that goes away during the wait is told', async (t) => {
  const { result } = await play(t, ['restart', 'coder'], {
    phases: ['draining'],
    onJob: (times) => (times > 1 ? 'hang up' : undefined),
  });
  t.equal(result.code, CLI_EXIT.failed);
  t.match(result.stdout, /^coder: the supervisor went away while restart was draining: /);
});

t.test('several profiles without names or --all would be a guess', async (t) => {
  const before = [aProfile(), aProfile({ name: 'bot-2' })];
  const { result, asked } = await play(t, ['stop'], { phases: ['done'], before });
  t.equal(result.code, CLI_EXIT.usage);
  t.match(result.stderr, 'profiles: coder, bot-2');
  t.notOk(asked.some(({ method }) => method === 'POST'));
});

t.test('--all means every profile, and one failure is the answer', async (t) => {
  const before = [aProfile(), aProfile({ name: 'bot-2' })];
  const { result, asked } = await play(t, ['restart', '--all'], {
    phases: ['done'],
    before,
    onJob: () => undefined,
  });
  t.equal(result.code, CLI_EXIT.done);
  t.strictSame(
    asked.filter(({ method }) => method === 'POST').map(({ path }) => path),
    ['/v1/profiles/coder/restart', '/v1/profiles/bot-2/restart'],
  );
});

t.test("a refusal of the supervisor keeps its words and its code's exit", async (t) => {
  const scratch = scratchHome(t);
  const error = {
    code: 'unknown-profile',
    message: 'no profile is named nobody; known: coder',
    next: 'create it with: gatewarden profile add nobody',
  };
  const server = await startControlServer(join(scratch.root, 'c.sock'), ({ path }) =>
    path === '/v1/status'
      ? { status: 200, body: aReport(aProfile()) }
      : { status: 404, body: { error } },
  );
  t.teardown(() => server.close());
  writeHint(scratch.home, server.socketPath);
  const result = await runCli(['start', 'nobody'], { env: scratch.env });
  t.equal(result.code, CLI_EXIT.usage);
  t.equal(
    result.stderr,
    `gatewarden: error: ${error.message} (unknown-profile)\n  next: ${error.next}\n`,
  );
});

t.test('inside the tree of the profile it asks and never waits for itself', async (t) => {
  // this test process is the parent of the command: as a gateway is the parent of its tools
  const before = [aProfile({ pid: process.pid })];
  const { result } = await play(t, ['restart', 'coder'], { phases: ['draining'], before });
  t.equal(result.code, CLI_EXIT.done);
  t.equal(
    result.stdout,
    'coder: restart was asked for; this process is part of it, so nobody waits\n',
  );
});

for (const verb of ['stop', 'restart']) {
  t.test(
    `inside a turn that the profile runs, ${verb} is refused and not even asked for`,
    async (t) => {
      const before = [aProfile({ pid: process.pid })];
      const env = { GATEWARDEN_TURN: 'turn-1' };
      const { result, asked } = await play(
        t,
        [verb, 'coder'],
        { phases: ['draining'], before },
        env,
      );
      t.equal(result.code, CLI_EXIT.failed);
      t.match(result.stderr, /asked for by a turn that this very gateway runs \(self-restart\)/);
      t.match(result.stderr, /next: ask in the chat with \/restart/);
      t.notOk(asked.some(({ method }) => method === 'POST'));
    },
  );
}

t.test('inside a turn of one profile another one may be restarted', async (t) => {
  const env = { GATEWARDEN_TURN: 'turn-1' };
  const { result } = await play(t, ['restart', 'coder'], { phases: ['done'] }, env);
  t.equal(result.code, CLI_EXIT.done);
});
