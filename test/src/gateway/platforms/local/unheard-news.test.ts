import t from 'tap';
import { UnheardNews } from '../../../../../src/gateway/platforms/local/unheard-news.js';

function news(chatId: string | undefined, text: string) {
  return { platform: 'local', chatId, turnId: 'turn-1', text };
}

t.test('news wait for whoever comes to their chat, and are told once', async (t) => {
  const unheard = new UnheardNews();
  unheard.keep(news('a', 'one'));
  unheard.keep(news(undefined, 'own'));
  t.strictSame(unheard.take('b'), []);
  t.match(unheard.take('a'), [{ text: 'one' }]);
  t.strictSame(unheard.take('a'), []);
  t.match(unheard.take(undefined), [{ text: 'own' }]);
});

t.test('of many news a chat finds the newest, and of many chats the newest are kept', async (t) => {
  const unheard = new UnheardNews();
  for (const text of ['1', '2', '3', '4']) unheard.keep(news('busy', text));
  t.match(unheard.take('busy'), [{ text: '2' }, { text: '3' }, { text: '4' }]);
  unheard.keep(news('oldest', 'gone'));
  for (let chat = 0; chat < 1000; chat++) unheard.keep(news(`chat-${chat}`, 'kept'));
  t.strictSame(unheard.take('oldest'), []);
  t.match(unheard.take('chat-0'), [{ text: 'kept' }]);
});
