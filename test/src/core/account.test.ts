import t from 'tap';
import {
  findAccountIn,
  parseAccountWords,
  parseGroup,
  parsePasswd,
} from '../../../src/core/account.js';

const TABLES = {
  passwd: parsePasswd(
    [
      'root:x:0:0:root:/root:/bin/bash',
      'bot:x:1500:1500:,,,:/home/bot:/bin/sh',
      'kim:x:1000:100:Kim:/home/kim:/bin/zsh',
      'lee:x:1001:100:Lee:/home/lee:/bin/zsh',
      'lost:x:1502:1502::nowhere:/bin/false',
      '+::::::',
      'broken:x:many:1',
    ].join('\n'),
  ),
  group: parseGroup(
    'users:x:100:\nbot:x:1500:\naudio:x:29:kim,bot\nchat:x:1600:bot\nteam:x:1700:bot,kim\n',
  ),
};

function find(text: string) {
  const words = parseAccountWords(text);
  if (words === undefined) throw new Error(`no words: ${text}`);
  return findAccountIn(TABLES, words);
}

t.test('what names an account, with or without a group', async (t) => {
  t.strictSame(parseAccountWords('bot'), { user: 'bot', group: undefined });
  t.strictSame(parseAccountWords('bot:chat'), { user: 'bot', group: 'chat' });
  t.strictSame(parseAccountWords('1500:1600'), { user: '1500', group: '1600' });
  for (const text of [
    '',
    ':',
    'bot:',
    ':chat',
    '-bot',
    'bo t',
    'bot:a:b',
    '12345678901',
    'bot\n',
  ]) {
    t.equal(parseAccountWords(text), undefined, JSON.stringify(text));
  }
});

t.test('a name is looked up with its groups, as a login would get them', async (t) => {
  t.strictSame(find('bot'), {
    kind: 'found',
    account: { name: 'bot', uid: 1500, gid: 1500, groups: [29, 1600, 1700], home: '/home/bot' },
    sharesGroupWith: undefined,
  });
  t.match(find('1500'), { account: { name: 'bot', gid: 1500 } }, 'also by its number');
  t.match(find('lost'), { account: { home: '/' } }, 'a home that is no path is none');
});

t.test('another group comes first, and its own stays', async (t) => {
  t.match(find('bot:chat'), {
    account: { gid: 1600, groups: [1500, 29, 1700] },
    sharesGroupWith: undefined,
  });
});

t.test('who else is in the group is found', async (t) => {
  t.match(find('kim'), { sharesGroupWith: 'lee' }, 'by their first group');
  t.match(find('bot:team'), { sharesGroupWith: 'kim' }, 'by the list of the group');
  t.match(find('77:1500'), { sharesGroupWith: 'bot' }, 'also for a number without a name');
});

t.test('a number without a name needs a group of its own', async (t) => {
  t.strictSame(find('77'), { kind: 'no-group-said' });
  t.strictSame(find('77:78'), {
    kind: 'found',
    account: { name: '77', uid: 77, gid: 78, groups: [], home: '/' },
    sharesGroupWith: undefined,
  });
});

t.test('what there is not is told apart', async (t) => {
  t.strictSame(find('nobody-here'), { kind: 'no-user' });
  t.strictSame(find('bot:no-such-group'), { kind: 'no-group' });
  t.strictSame(find('broken'), { kind: 'no-user' }, 'half an entry is none');
});
