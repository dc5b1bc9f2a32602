import { execFileSync, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t from 'tap';
import { EXIT } from '../../../src/core/exit-codes.js';
import { AloneGateway } from '../../support/gateway-alone.js';
import { assignmentIn, shortDir } from '../../support/gateway-assignment.js';
import { ask, textOf } from '../../support/gateway-worker-asks.js';

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;

interface Detailed {
  readonly status: string;
  readonly ready: boolean;
  readonly detail: string | null;
}

async function detailed(url: string): Promise<Detailed> {
  return (await (await fetch(`${url}/health/detailed`)).json()) as Detailed;
}

t.test(
  'turns go on while the disk takes no writes, the gateway says so, and catches up',
  { skip: !hasPrlimit && 'prlimit (util-linux) is missing' },
  async (t) => {
    const home = shortDir(t);
    const alone = new AloneGateway(t, assignmentIn(home));
    const url = await alone.ready();
    t.equal(await textOf(await ask(url, 'before')), 'before');
    const log = join(home, 'state', 'state.db-wal');
    // no file of the gateway may grow any more: as full as a disk gets, and it can be undone
    const limit = (bytes: number | 'unlimited') =>
      execFileSync('prlimit', ['--pid', String(alone.pid), `--fsize=${bytes}:unlimited`]);
    limit(statSync(log).size);
    t.equal(await textOf(await ask(url, 'during')), 'during');
    t.match(await detailed(url), {
      status: 'degraded',
      ready: true,
      detail: /not being saved: .*2 writes wait/,
    });
    limit('unlimited');
    t.equal(await textOf(await ask(url, 'after')), 'after');
    t.match(await detailed(url), { status: 'ready', detail: null });
    alone.child.kill('SIGTERM');
    t.strictSame(await alone.gone(), { code: EXIT.done, signal: null });
    const database = new Database(join(home, 'state', 'state.db'), { readonly: true });
    const texts = database
      .prepare("SELECT content FROM messages WHERE role = 'user' ORDER BY id")
      .pluck()
      .all();
    database.close();
    t.strictSame(texts, ['before', 'during', 'after']);
  },
);
