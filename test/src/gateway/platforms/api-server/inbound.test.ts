import t from 'tap';
import {
  parseCompletionRequest,
  parseSessionKey,
} from '../../../../../src/gateway/platforms/api-server/inbound.js';

const USER = { role: 'user', content: 'hello' };

function parse(fields: object) {
  return parseCompletionRequest(JSON.stringify({ model: 'm', messages: [USER], ...fields }));
}

t.test('text comes as a string or as text parts, roles as ours', async (t) => {
  const messages = [
    { role: 'developer', content: 'be brief' },
    { role: 'assistant', content: null },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'hel' },
        { type: 'text', text: 'lo' },
      ],
    },
  ];
  t.match(
    parse({ messages, stream: true, stream_options: { include_usage: true }, max_tokens: 5 }),
    {
      kind: 'good',
      value: {
        messages: [
          { role: 'system', content: 'be brief' },
          { role: 'assistant', content: '' },
          { role: 'user', content: 'hello' },
        ],
        text: 'hello',
        isStream: true,
        wantsUsage: true,
        maxTokens: 5,
      },
    },
  );
});

t.test('what is asked is the last message of a user', async (t) => {
  const messages = [USER, { role: 'user', content: 'two' }, { role: 'assistant', content: 'x' }];
  t.match(parse({ messages }), { kind: 'good', value: { text: 'two' } });
});

t.test('fields that do not concern us are ignored, also null ones', async (t) => {
  t.equal(
    parse({ temperature: 2, tools: [], user: 'me', n: 1, stream: null, max_tokens: null }).kind,
    'good',
  );
});

const BAD: readonly (readonly [string, object, string | null])[] = [
  ['no messages', { messages: undefined }, 'messages'],
  ['messages that are no list', { messages: 'hello' }, 'messages'],
  ['an empty list', { messages: [] }, 'messages'],
  ['more than 1000 messages', { messages: Array(1001).fill(USER) }, 'messages'],
  ['no message of a user', { messages: [{ role: 'system', content: 'x' }] }, 'messages'],
  ['a message that is no object', { messages: ['hello'] }, 'messages[0]'],
  ['an unknown role', { messages: [USER, { role: 'tool', content: 'x' }] }, 'messages[1].role'],
  [
    'a role of a prototype',
    { messages: [{ role: 'constructor', content: 'x' }] },
    'messages[0].role',
  ],
  ['a number as content', { messages: [{ role: 'user', content: 5 }] }, 'messages[0].content'],
  ['no content of a user', { messages: [{ role: 'user', content: null }] }, 'messages[0].content'],
  [
    'a picture',
    { messages: [{ role: 'user', content: [{ type: 'image_url' }] }] },
    'messages[0].content[0]',
  ],
  [
    '65537 characters',
    { messages: [{ role: 'user', content: 'x'.repeat(65_537) }] },
    'messages[0].content',
  ],
  ['several choices', { n: 2 }, 'n'],
  ['a model that is no text', { model: 5 }, 'model'],
  ['a stream that is no boolean', { stream: 'yes' }, 'stream'],
  ['no tokens at all', { max_tokens: 0 }, 'max_tokens'],
  ['half a token', { max_completion_tokens: 0.5 }, 'max_completion_tokens'],
];
for (const [name, fields, param] of BAD) {
  t.test(`${name}: 400 that names the field`, async (t) => {
    t.match(parse(fields), { kind: 'bad', error: { status: 400, param, isRetryable: false } });
  });
}

t.test('a body that is not a JSON object: 400', async (t) => {
  for (const body of ['', '{', '[]', 'null', '"text"', '5']) {
    t.match(parseCompletionRequest(body), { kind: 'bad', error: { status: 400 } });
  }
});

t.test('65536 characters and 1000 messages are still taken', async (t) => {
  t.equal(parse({ messages: [{ role: 'user', content: 'x'.repeat(65_536) }] }).kind, 'good');
  t.equal(parse({ messages: Array(1000).fill(USER) }).kind, 'good');
});

t.test('a session key has 1 to 256 characters without control characters', async (t) => {
  for (const good of ['a', 'x'.repeat(256), 'chat 7 – ü'])
    t.equal(parseSessionKey(good).kind, 'good');
  for (const bad of ['', 'x'.repeat(257), 'a\tb', 'a\u007fb'])
    t.equal(parseSessionKey(bad).kind, 'bad');
});
