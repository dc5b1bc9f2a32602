import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import {
  clearTakeover,
  takeoverOf,
  writeTakeover,
} from '../../../src/ownership/takeover-marker.js';
import { writeHintFile } from '../../../src/store/json-file.js';
import { ownOwner } from '../../../src/store/place.js';

t.test('a marker speaks to the process that it names, for a minute', async (t) => {
  const path = join(t.testdir(), 'gateway.takeover.json');
  const target = ownOwner('/h', 'one');
  const by = { ...target, identity: { ...target.identity, pid: 7 } };
  t.equal(takeoverOf(path, target.identity), undefined, 'nobody said anything');
  writeTakeover(path, { target, by });
  t.match(takeoverOf(path, target.identity), { identity: { pid: 7 } });
  const reused = { ...target.identity, startTicks: 1 };
  t.equal(takeoverOf(path, reused), undefined, 'a later process with the same pid');
  t.equal(takeoverOf(path, by.identity), undefined, 'another process');
  writeHintFile(path, { target, by, at: Date.now() - 61_000 });
  t.equal(takeoverOf(path, target.identity), undefined, 'an old one');
  writeHintFile(path, { target: 'rubbish' });
  t.equal(takeoverOf(path, target.identity), undefined, 'a broken one');
  clearTakeover(path);
  t.notOk(existsSync(path));
});
