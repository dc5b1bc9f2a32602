import t from 'tap';
import { ServerWait } from '../../../supervisor/multiplex/server-wait.js';

function waitWith() {
  const state = { isThere: false };
  const wait = new ServerWait((profile) => profile !== 'own' && !state.isThere);
  return { wait, state };
}

t.test('who has a process of its own does not wait', async (t) => {
  const { wait } = waitWith();
  const gone: string[] = [];
  wait.wait('own', new AbortController().signal, () => gone.push('own'));
  t.strictSame(gone, ['own']);
});

t.test('who is served goes on once, when its server is there, unless it gave up', async (t) => {
  const { wait, state } = waitWith();
  const gone: string[] = [];
  const abort = new AbortController();
  wait.wait('a', new AbortController().signal, () => gone.push('a'));
  wait.wait('b', abort.signal, () => gone.push('b'));
  wait.look();
  t.strictSame(gone, []);
  t.ok(wait.isWaiting('a'));
  abort.abort();
  t.notOk(wait.isWaiting('b'));
  state.isThere = true;
  wait.look();
  wait.look();
  t.strictSame(gone, ['a']);
  t.notOk(wait.isWaiting('a'));
});
