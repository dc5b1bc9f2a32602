import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { renderBash } from '../../../../src/cli/completion/bash.js';
import { quoteFish, quoteShell, quoteZshPair } from '../../../../src/cli/completion/escape.js';
import { renderFish } from '../../../../src/cli/completion/fish.js';
import { renderZsh } from '../../../../src/cli/completion/zsh.js';
import { GLOBAL_OPTIONS } from '../../../../src/cli/verbs/words.js';
import { VERBS } from '../../../../src/cli/verbs.js';
import { runBinary, scratchHome } from '../../../support/run-cli.js';
import { shellcheck, shellcheckMissing } from '../../../support/shellcheck.js';

const bash = renderBash(VERBS, GLOBAL_OPTIONS);

/** What a real bash offers after these words; the last one is being typed. */
function offered(words: readonly string[], home = '/nonexistent'): string[] {
  const script = `${bash}
    COMP_WORDS=(${words.map(quoteShell).join(' ')})
    COMP_CWORD=${words.length - 1}
    _gatewarden
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const result = spawnSync('bash', ['--norc', '-u', '-c', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: '/nonexistent', GATEWARDEN_HOME: home },
  });
  if (result.stderr !== '') throw new Error(result.stderr);
  return result.stdout.split('\n').filter((word) => word !== '');
}

t.test('bash completes verbs, members of a family, options and their values', async (t) => {
  t.strictSame(offered(['gatewarden', 'stat']), ['status']);
  t.strictSame(offered(['gatewarden', 'profile', '']), ['list', 'add', 'show', 'remove']);
  t.strictSame(offered(['gatewarden', 'status', '--j']), ['--json']);
  t.strictSame(offered(['gatewarden', '--home', '/tmp', 'status', '--wa']), ['--watch']);
  t.strictSame(offered(['gatewarden', 'completion', 'z']), ['zsh']);
  t.strictSame(offered(['gatewarden', 'init', '--driver', 'op']), ['openai']);
  t.ok(offered(['gatewarden', '']).includes('doctor'));
});

t.test('bash completes the profiles of the home', async (t) => {
  const { home } = scratchHome(t);
  for (const name of ['coder', 'bot-2']) {
    mkdirSync(join(home, 'profiles', name), { recursive: true });
  }
  t.strictSame(offered(['gatewarden', 'why', ''], home), ['bot-2', 'coder']);
  t.strictSame(offered(['gatewarden', '-p', 'co'], home), ['coder']);
  t.strictSame(offered(['gatewarden', 'why', 'co']), [], 'none without a home');
});

t.test('bash knows how to load the script and registers the command', async (t) => {
  const script = `${bash}\ncomplete -p gatewarden`;
  const result = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
  t.equal(result.stdout, 'complete -F _gatewarden gatewarden\n');
});

t.test('shellcheck has no complaint', { skip: shellcheckMissing() ?? false }, async (t) => {
  // the words that compgen prints must be split: a profile name holds no blank
  const known = bash.replace(/^/, '# shellcheck disable=SC2207,SC2086\n');
  t.equal(shellcheck(known, 'bash'), '');
});

for (const [shell, text] of [
  ['zsh', renderZsh(VERBS, GLOBAL_OPTIONS)],
  ['fish', renderFish(VERBS, GLOBAL_OPTIONS)],
] as const) {
  const isMissing = spawnSync(shell, ['--version']).error !== undefined;
  t.test(
    `${shell} accepts its script`,
    { skip: isMissing ? `${shell} is missing` : false },
    async (t) => {
      // a file: fish checks no script that comes on stdin
      const script = join(t.testdir({ script: text }), 'script');
      const result = spawnSync(shell, ['-n', script], { encoding: 'utf8' });
      t.equal(result.stderr, '');
      t.equal(result.status, 0);
    },
  );
  t.test(`${shell}'s script names every verb and every option`, async (t) => {
    for (const { name, options } of VERBS) {
      for (const word of name.split(' ')) t.match(text, word);
      for (const { long } of options) t.match(text, long);
    }
  });
}

t.test('hostile words survive the quoting of each shell', async (t) => {
  const hostile = ["it's", 'a b', '$HOME', '`id`', '"', '\\', '%', '-n', 'ü', 'a:b'];
  for (const word of hostile) {
    const result = spawnSync('sh', ['-c', `printf %s ${quoteShell(word)}`], { encoding: 'utf8' });
    t.equal(result.stdout, word);
  }
  t.equal(quoteFish("it's \\"), "'it\\'s \\\\'");
  t.equal(quoteZshPair('a:b', 'what: it is'), "'a\\:b:what: it is'");
});

t.test('the verb prints the script', async (t) => {
  const result = await runBinary(['completion', 'bash']);
  t.equal(result.stdout, bash);
  t.equal(result.stderr, '');
});
