import t from 'tap';
import {
  describeOwner,
  type Here,
  nearnessOf,
  type Owner,
  parseOwner,
} from '../../../src/core/owner.js';

const HERE: Here = {
  place: { machine: 'm', hostName: 'here', pidNamespace: 'pid:[1]' },
  bootId: 'boot',
};

function owner(changes: Partial<Owner> = {}): Owner {
  return {
    identity: { pid: 7, startTicks: 3, bootId: 'boot' },
    place: HERE.place,
    home: '/srv/bots',
    profile: 'coder',
    startedAt: 0,
    ...changes,
  };
}

const elsewhere = { machine: 'n', hostName: 'there', pidNamespace: 'pid:[1]' };
const container = { machine: 'm', hostName: 'box', pidNamespace: 'pid:[2]' };
const rebooted = { pid: 7, startTicks: 3, bootId: 'before' };

t.test('how near an owner is decides what our process table proves about it', async (t) => {
  t.equal(nearnessOf(owner(), HERE), 'same-table');
  t.equal(nearnessOf(owner({ place: undefined }), HERE), 'same-table', 'an old record');
  t.equal(nearnessOf(owner({ place: container }), HERE), 'same-kernel');
  const cloned = owner({ place: { ...container, machine: 'x' } });
  t.equal(nearnessOf(cloned, HERE), 'same-kernel', 'one boot id is one kernel');
  t.equal(nearnessOf(owner({ identity: rebooted }), HERE), 'earlier-boot');
  t.equal(nearnessOf(owner({ identity: rebooted, place: elsewhere }), HERE), 'other-machine');
});

t.test('an owner is named by pid, role, home, place and time', async (t) => {
  t.equal(
    describeOwner(owner(), HERE),
    'pid 7 (gateway of profile coder in /srv/bots, since 1970-01-01T00:00:00.000Z)',
  );
  t.match(describeOwner(owner({ profile: undefined }), HERE), /\(supervisor in \/srv\/bots,/);
  t.match(describeOwner(owner({ place: container }), HERE), /another container.*\(box\)/);
  const far = owner({ identity: rebooted, place: elsewhere });
  t.match(describeOwner(far, HERE), /on host there/);
  t.equal(describeOwner(undefined), 'a process that cannot be named');
});

t.test('a record is read back as it was written, and anything else is none', async (t) => {
  t.strictSame(parseOwner(JSON.parse(JSON.stringify(owner()))), owner());
  for (const bad of [null, 1, 'x', {}, { identity: {} }, { ...owner(), home: 1 }]) {
    t.equal(parseOwner(bad), undefined);
  }
  t.equal(parseOwner({ ...owner(), identity: { pid: -1 } }), undefined);
});
