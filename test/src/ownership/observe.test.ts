import { utimesSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { LiveRecordKeeper } from '../../../src/ownership/live-record.js';
import { BeatMemory, observeOwner } from '../../../src/ownership/observe.js';
import { ownOwner } from '../../../src/store/place.js';
import { shortDir } from '../../support/gateway-assignment.js';

const ASK_MS = 20;

t.test('an owner that greets too late is healthy only once its beat has moved', async (t) => {
  const directory = shortDir(t);
  const socket = join(directory, 'local.sock');
  const mute = createServer(() => undefined).listen(socket);
  await new Promise((resolve) => mute.once('listening', resolve));
  t.teardown(() => mute.close());
  const owner = ownOwner(directory, 'one');
  const path = join(directory, 'gateway.json');
  const keeper = new LiveRecordKeeper(path, {
    owner,
    phase: 'serving',
    isMultiplexer: false,
    served: [],
    socket,
    beatEveryMs: 60_000,
  });
  t.teardown(() => keeper.close());
  const beats = new BeatMemory();
  const look = async () =>
    (await observeOwner(path, { holder: owner, askMs: ASK_MS, beats })).answer;
  t.equal(await look(), 'silent', 'a fresh record alone proves nothing: it may have frozen since');
  t.equal(await look(), 'silent', 'nor does time');
  const later = new Date(Date.now() + 1000);
  utimesSync(path, later, later);
  t.equal(await look(), 'serving', 'its loop ran while we looked');
  mute.close();
  t.equal(
    await new Promise((done) => mute.once('close', async () => done(await look()))),
    'silent',
    'a door that nobody keeps is no late answer',
  );
});
