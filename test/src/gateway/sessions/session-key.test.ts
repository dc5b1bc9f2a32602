import t from 'tap';
import { sessionId } from '../../../../src/gateway/sessions/session-id.js';
import { sessionKey } from '../../../../src/gateway/sessions/session-key.js';

t.test('two profiles that talk to one human have two session keys', async (t) => {
  const keyOf = (profile: string, chatId?: string) =>
    sessionKey({ profile, platform: 'local', chatId });
  t.equal(keyOf('default', '7'), 'agent:main:local:dm:7');
  t.equal(keyOf('coder', '7'), 'agent:coder:local:dm:7');
  t.equal(keyOf('main', '7'), 'agent:main~:local:dm:7', 'not the default profile');
  t.equal(keyOf('coder'), 'agent:coder:local:dm');
});

t.test('a session id tells its time and is one of many', async (t) => {
  const at = Date.UTC(2026, 10, 29, 8, 5, 3, 999);
  t.equal(sessionId(at, Buffer.from('00ff10abcd', 'hex')), '20261129_080503_00ff10ab');
});
