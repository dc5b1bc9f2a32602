import { format, inspect } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import { maskSecrets, Secret, SecretFilter } from '../../../src/core/secret.js';

const TEXT = 'hunter2-hunter2';

t.test('a secret shows in no way but the one that is asked for by name', async (t) => {
  const secret = new Secret(TEXT);
  const ways = [
    `${secret}`,
    String(secret),
    `a${secret}`,
    JSON.stringify({ secret }),
    inspect(secret),
    inspect({ deep: { secret } }, { depth: 9, showHidden: true }),
    format('%s %o %O %j', secret, secret, secret, secret),
    Object.entries(secret).join(),
    String(new Error(`bad ${secret}`)),
  ];
  for (const shown of ways) t.notMatch(shown, /hunter2/);
  t.match(ways[0], '[secret]');
  t.equal(secret.reveal(), TEXT);
});

t.test('a secret does not cross to another thread or process', async (t) => {
  t.notMatch(inspect(structuredClone({ secret: new Secret(TEXT) })), /hunter2/);
});

t.test('every occurrence of a long enough secret is masked in foreign text', async (t) => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 6, maxLength: 20 }),
      fc.array(fc.string({ maxLength: 5 })),
      (secret, parts) => {
        fc.pre(!'[secret]'.includes(secret));
        const masked = maskSecrets(parts.join(secret), [secret]);
        return parts.length < 2 || masked.includes('[secret]');
      },
    ),
  );
  t.equal(maskSecrets(`a ${TEXT} b ${TEXT}`, [TEXT]), 'a [secret] b [secret]');
  t.equal(maskSecrets('a (.*) b $& c', ['(.*) b']), 'a [secret] $& c', 'never as a pattern');
});

t.test('short secrets are left: masking them would blank out ordinary words', async (t) => {
  t.equal(maskSecrets('the info line', ['info', '']), 'the info line');
});

t.test('a secret that comes in pieces is masked as if it came at once', async (t) => {
  const alphabet = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 });
  fc.assert(
    fc.property(fc.array(alphabet), fc.array(alphabet, { maxLength: 3 }), (pieces, secrets) => {
      const filter = new SecretFilter(secrets);
      const shown = [...pieces.map((piece) => filter.take(piece)), filter.end()].join('');
      return secrets.every((secret) => secret.length < 6 || !shown.includes(secret));
    }),
  );
  const filter = new SecretFilter([TEXT]);
  t.equal(filter.take('head hunter2-'), 'head ', 'half of it waits');
  t.equal(filter.take('hunter2 tail'), '[secret] tail');
  t.equal(filter.take('ends in hun') + filter.end(), 'ends in hun', 'nothing is lost');
});
