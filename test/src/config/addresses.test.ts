import fc from 'fast-check';
import t from 'tap';
import {
  addressesCollide,
  isLoopback,
  loadConfig,
  parseAddress,
  renderAddress,
} from '../../../src/config/index.js';
import { homeWith, profileOf, putFile } from '../../support/config-home.js';

const HOSTS = ['127.0.0.1', '127.0.0.2', '0.0.0.0', '::', '::1', 'localhost', '10.0.0.1', 'myhost'];

/** Which hosts share a port with which, written out. */
const COLLIDING = new Set(
  [
    ['0.0.0.0', '127.0.0.1'],
    ['0.0.0.0', '127.0.0.2'],
    ['0.0.0.0', '::'],
    ['0.0.0.0', 'localhost'],
    ['0.0.0.0', '10.0.0.1'],
    ['0.0.0.0', 'myhost'],
    ['::', '127.0.0.1'],
    ['::', '127.0.0.2'],
    ['::', '::1'],
    ['::', 'localhost'],
    ['::', '10.0.0.1'],
    ['::', 'myhost'],
    ['localhost', '127.0.0.1'],
    ['localhost', '127.0.0.2'],
    ['localhost', '::1'],
  ].map((pair) => pair.sort().join(' ')),
);

t.test('every pair of hosts on one port either collides or does not', async (t) => {
  for (const one of HOSTS) {
    for (const other of HOSTS) {
      const wanted = one === other || COLLIDING.has([one, other].sort().join(' '));
      const left = { host: one, port: 80 };
      t.equal(addressesCollide(left, { host: other, port: 80 }), wanted, `${one} and ${other}`);
      t.notOk(addressesCollide(left, { host: other, port: 81 }), 'other ports never do');
    }
  }
});

t.test('port 0 is another port each time', async (t) => {
  t.notOk(addressesCollide({ host: '::', port: 0 }, { host: '::', port: 0 }));
});

t.test('one address in two spellings is one address', async (t) => {
  for (const spelling of ['0:0:0:0:0:0:0:1', '::0001', '0::1']) {
    t.ok(addressesCollide({ host: '::1', port: 1 }, { host: spelling, port: 1 }), spelling);
    t.ok(isLoopback(spelling), spelling);
  }
  t.ok(addressesCollide({ host: '::ffff:127.0.0.1', port: 1 }, { host: '127.0.0.1', port: 1 }));
  t.ok(addressesCollide({ host: 'LocalHost', port: 1 }, { host: '127.0.0.1', port: 1 }));
});

t.test('loopback is what only this machine reaches', async (t) => {
  for (const host of ['127.0.0.1', '127.9.9.9', '::1', 'localhost', '::ffff:127.0.0.1']) {
    t.ok(isLoopback(host), host);
  }
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.evil.example', 'localhost.example', '']) {
    t.notOk(isLoopback(host), host);
  }
});

t.test('an address reads back as it was written', async (t) => {
  const host = fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain());
  fc.assert(
    fc.property(host, fc.integer({ min: 0, max: 65_535 }), (host, port) => {
      t.strictSame(parseAddress(renderAddress({ host, port })), { host, port });
    }),
    { numRuns: 50 },
  );
});

t.test('what is no address is not read as one', async (t) => {
  for (const text of [
    '',
    '80',
    ':80',
    'a',
    'a:',
    'a:b',
    'a:65536',
    '::1:80',
    '[::1]',
    '[a]:1',
    'a b:1',
    'http://a:1',
  ]) {
    t.equal(parseAddress(text), undefined, text);
  }
});

const api = (host: string, port: number) =>
  `platforms: {api_server: {enabled: true, host: "${host}", port: ${port}, key: k}}\n`;

t.test(
  'of two profiles on one address the later by name is bad, and the message names both',
  async (t) => {
    const home = homeWith(t, {
      'profiles/b/config.yaml': api('0.0.0.0', 9000),
      'profiles/a/config.yaml': api('127.0.0.1', 9000),
      'profiles/c/config.yaml': api('127.0.0.1', 9001),
    });
    t.equal(profileOf(home, 'a').kind, 'good');
    t.equal(profileOf(home, 'c').kind, 'good');
    const bad = profileOf(home, 'b');
    t.match(bad, {
      kind: 'bad',
      problems: [
        {
          line: 1,
          key: 'platforms.api_server.port',
          expected: /profile b/,
          got: '0.0.0.0:9000, which profile a has (127.0.0.1:9000)',
        },
      ],
    });
    putFile(home, 'profiles/a/config.yaml', api('127.0.0.1', 9002));
    const cured = profileOf(home, 'b');
    t.equal(cured.kind, 'good', 'moving the other one cures it');
    t.not(cured.fingerprint, bad.fingerprint, 'and its fingerprint tells so');
  },
);

t.test('two profiles that leave the port to the default collide', async (t) => {
  const text = 'platforms: {api_server: {enabled: true}}\n';
  const home = homeWith(t, { 'profiles/a/config.yaml': text, 'profiles/b/config.yaml': text });
  t.match(profileOf(home, 'b'), { problems: [{ got: /127\.0\.0\.1:8642, which profile a has/ }] });
});

t.test('a profile that is not run takes no address', async (t) => {
  const home = homeWith(t, {
    'profiles/a/config.yaml': `enabled: false\n${api('127.0.0.1', 9000)}`,
    'profiles/b/config.yaml': api('127.0.0.1', 9000),
    'profiles/c/config.yaml': `enabled: false\n${api('127.0.0.1', 9000)}`,
  });
  for (const { kind } of loadConfig(home, {}).profiles.values()) t.equal(kind, 'good');
});

t.test('a profile on the address of the control API is bad', async (t) => {
  const home = homeWith(t, {
    'config.yaml': 'supervisor: {control: {listen: "127.0.0.1:9000", token: t}}\n',
    'profiles/a/config.yaml': api('0.0.0.0', 9000),
  });
  t.match(profileOf(home, 'a'), { problems: [{ got: /supervisor\.control\.listen has/ }] });
});
