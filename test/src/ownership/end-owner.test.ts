import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Owner } from '../../../src/core/owner.js';
import { endOwner } from '../../../src/ownership/end-owner.js';
import { takeoverOf } from '../../../src/ownership/takeover-marker.js';
import { ownOwner } from '../../../src/store/place.js';
import { identityOf } from '../../../src/store/process-table.js';
import { fixture } from '../../support/fixture.js';

function ownerOf({ pid = 0 }: ChildProcess): Owner {
  const identity = identityOf(pid);
  if (identity === undefined) throw new Error(`no process ${pid}`);
  return { ...ownOwner('/h', 'one'), identity };
}

t.test('an owner that ignores SIGTERM is told by whom, then killed', async (t) => {
  const child = spawn(fixture('ignores-sigterm'), { stdio: ['ignore', 'pipe', 'ignore'] });
  t.teardown(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const exited = once(child, 'exit');
  const markerPath = join(t.testdir(), 'gateway.takeover.json');
  const target = ownerOf(child);
  const signals: string[] = [];
  const isGone = await endOwner(target, {
    markerPath,
    by: ownOwner('/h', 'one'),
    termWaitMs: 20,
    onSignal: (signal) => {
      signals.push(signal);
      t.match(takeoverOf(markerPath, target.identity), { identity: { pid: process.pid } });
    },
  });
  t.equal(isGone, true);
  t.strictSame(signals, ['SIGTERM', 'SIGKILL']);
  t.match(await exited, [null, 'SIGKILL']);
});

t.test('an owner that is stopped is not given the whole budget of a drain', async (t) => {
  const child = spawn(fixture('ignores-sigterm'), { stdio: ['ignore', 'pipe', 'ignore'] });
  t.teardown(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const exited = once(child, 'exit');
  child.kill('SIGSTOP');
  const markerPath = join(t.testdir(), 'gateway.takeover.json');
  const by = ownOwner('/h', 'one');
  const noEndMs = 2 ** 31 - 1;
  const options = { markerPath, by, termWaitMs: noEndMs, stoppedWaitMs: 20 };
  t.equal(await endOwner(ownerOf(child), options), true);
  t.match(await exited, [null, 'SIGKILL']);
  t.notOk(existsSync(markerPath), 'the marker is gone');
});

t.test('whoever is not wanted any more ends nobody, and takes its marker along', async (t) => {
  const child = spawn(fixture('ignores-sigterm'), { stdio: ['ignore', 'pipe', 'ignore'] });
  t.teardown(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const markerPath = join(t.testdir(), 'gateway.takeover.json');
  const leaving = new AbortController();
  const ending = endOwner(ownerOf(child), {
    markerPath,
    by: ownOwner('/h', 'one'),
    termWaitMs: 2 ** 31 - 1,
    signal: leaving.signal,
    onSignal: () => leaving.abort(),
  });
  await t.rejects(ending, { name: 'AbortError' });
  t.notOk(existsSync(markerPath));
  t.equal(child.exitCode ?? child.signalCode, null, 'SIGTERM was all it got');
});

t.test('a stranger that has the pid by now gets no signal', async (t) => {
  const child = spawn(fixture('ignores-sigterm'), { stdio: ['ignore', 'pipe', 'ignore'] });
  t.teardown(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const owner = ownerOf(child);
  const target = { ...owner, identity: { ...owner.identity, startTicks: 1 } };
  const markerPath = join(t.testdir(), 'gateway.takeover.json');
  const by = ownOwner('/h', 'one');
  t.equal(await endOwner(target, { markerPath, by, termWaitMs: 20 }), true, 'it is dead');
  t.equal(child.exitCode ?? child.signalCode, null);
});
