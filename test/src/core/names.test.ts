import fc from 'fast-check';
import t from 'tap';
import { DEFAULT_PROFILE, isProfileName } from '../../../src/core/names.js';

t.test(
  'a profile name is of a-z, 0-9, _ and -, first a letter or digit, at most 64 long',
  async () => {
    const first = 'abcdefghijklmnopqrstuvwxyz0123456789';
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 70 }), (name) => {
        const isGood =
          name.length >= 1 &&
          name.length <= 64 &&
          first.includes(name.charAt(0)) &&
          [...name].every((character) => `${first}_-`.includes(character));
        return isProfileName(name) === isGood;
      }),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,63}$/), (name) => isProfileName(name)),
    );
  },
);

t.test('names that would leave their directory, or hide in it, are none', async (t) => {
  for (const name of [
    '',
    '.',
    '..',
    '../x',
    'a/b',
    'a\\b',
    '_x',
    '-x',
    '.x',
    'a.b',
    'UPPER',
    'ä',
  ]) {
    t.notOk(isProfileName(name), JSON.stringify(name));
  }
  for (const name of ['a\n', 'a\0', ' a', 'a ', 'x'.repeat(65)]) {
    t.notOk(isProfileName(name), JSON.stringify(name));
  }
});

t.test('the default profile has a valid name', async (t) => {
  t.ok(isProfileName(DEFAULT_PROFILE));
});
