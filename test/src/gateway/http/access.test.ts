import t from 'tap';
import { judgeAccess } from '../../../../src/gateway/http/access.js';
import { isLoopbackHost, reachableHost } from '../../../../src/gateway/http/loopback.js';

t.test('without a key only a Host of this machine is served', async (t) => {
  const judge = (host: string | undefined) =>
    judgeAccess({ key: undefined, authorization: undefined, host }).kind;
  for (const host of [
    'localhost',
    'localhost:8642',
    'LOCALHOST',
    '127.0.0.1:1',
    '127.9.9.9',
    '[::1]:8642',
    '[::1]',
  ]) {
    t.equal(judge(host), 'granted', host);
  }
  for (const host of [
    undefined,
    '',
    'evil.example',
    'evil.example:8642',
    'localhost.evil.example',
    '10.0.0.1',
    '127.0.0.1.evil.example',
    '[::2]:1',
    '0.0.0.0',
  ]) {
    t.equal(judge(host), 'host-foreign', String(host));
  }
});

t.test('with a key the key decides, whatever the Host', async (t) => {
  const judge = (authorization: string | undefined) =>
    judgeAccess({ key: 'k3y-of-16-letters', authorization, host: 'bot.example' }).kind;
  t.equal(judge('Bearer k3y-of-16-letters'), 'granted');
  t.equal(judge('bearer   k3y-of-16-letters '), 'granted');
  for (const wrong of [
    'Bearer k3y-of-16-letterS',
    'Bearer k3y',
    'Bearer k3y-of-16-letters-and-more',
  ]) {
    t.equal(judge(wrong), 'key-wrong', wrong);
  }
  for (const none of [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Basic k3y-of-16-letters',
    'k3y-of-16-letters',
    'Bearer a b',
  ]) {
    t.equal(judge(none), 'key-missing', String(none));
  }
});

t.test('only addresses that stay on this machine are loopback', async (t) => {
  for (const host of ['localhost', '127.0.0.1', '127.255.0.3', '::1'])
    t.ok(isLoopbackHost(host), host);
  for (const host of ['0.0.0.0', '::', '192.168.0.1', 'myhost', '128.0.0.1', '']) {
    t.notOk(isLoopbackHost(host), host);
  }
});

t.test('a listener on every address is reached through loopback', async (t) => {
  t.equal(reachableHost('0.0.0.0'), '127.0.0.1');
  t.equal(reachableHost('::'), '::1');
  t.equal(reachableHost('10.1.2.3'), '10.1.2.3');
});
