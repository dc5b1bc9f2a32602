import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t from 'tap';
import type { GatewayAssignment } from '../../../src/core/assignment.js';
import { EXIT } from '../../../src/core/exit-codes.js';
import { API, assignmentIn, shortDir } from '../../support/gateway-assignment.js';
import { bootWorker, GatewayPrimary } from '../../support/gateway-primary.js';

const primary = new GatewayPrimary();
t.teardown(() => primary.close());

type Test = { teardown(action: () => unknown): unknown };

interface Refusal {
  readonly name: string;
  readonly code: string;
  readonly exit: number;
  readonly prepare: (home: string, t: Test) => Promise<Partial<GatewayAssignment> | undefined>;
}

const REFUSALS: readonly Refusal[] = [
  {
    name: 'an API for other machines without a key',
    code: 'credential-missing',
    exit: EXIT.config,
    prepare: async () => ({ apiServer: { ...API, host: '0.0.0.0' } }),
  },
  {
    name: 'a port in use',
    code: 'listen-failed',
    exit: EXIT.failure,
    prepare: async (_, t) => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      t.teardown(() => server.close());
      return { apiServer: { ...API, port: (server.address() as AddressInfo).port } };
    },
  },
  {
    name: 'an address that this machine does not have',
    code: 'listen-failed',
    exit: EXIT.failure,
    prepare: async () => ({
      apiServer: { ...API, host: '203.0.113.7', key: 'a-key-of-the-profile' },
    }),
  },
  {
    name: 'a store of a newer version',
    code: 'schema-newer',
    exit: EXIT.config,
    prepare: async (home) => {
      mkdirSync(join(home, 'state'));
      new Database(join(home, 'state', 'state.db'))
        .exec(
          'CREATE TABLE schema_version (version INTEGER); INSERT INTO schema_version VALUES (999)',
        )
        .close();
      return undefined;
    },
  },
  {
    name: 'a store that is no database',
    code: 'store-corrupt',
    exit: EXIT.config,
    prepare: async (home) => {
      mkdirSync(join(home, 'state'));
      writeFileSync(join(home, 'state', 'state.db'), 'scribble '.repeat(1000));
      return undefined;
    },
  },
  {
    name: 'a state directory that is a file',
    code: 'home-unusable',
    exit: EXIT.config,
    prepare: async (home) => {
      writeFileSync(join(home, 'state'), '');
      return undefined;
    },
  },
];
for (const { name, code, exit, prepare } of REFUSALS) {
  t.test(`${name}: last words, the error on stderr, exit ${exit}`, async (t) => {
    const home = shortDir(t);
    const changes = await prepare(home, t);
    const worker = await bootWorker(t, primary);
    worker.assign(assignmentIn(home, changes));
    const farewell = await worker.said('farewell');
    t.equal(farewell.exitCode, exit);
    t.not(farewell.detail, '');
    t.not(farewell.remedy, '');
    t.strictSame(await worker.gone(), { code: exit, signal: null });
    t.match(
      worker.stderr,
      `gatewarden: error: ${farewell.detail} (${code})\n  next: ${farewell.remedy}\n`,
    );
    t.notOk(
      existsSync(join(home, 'state', 'gateway.lock.owner.json')),
      'the profile is free again',
    );
  });
}
