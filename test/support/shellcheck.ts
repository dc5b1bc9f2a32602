import { spawnSync } from 'node:child_process';

/** Why shell lines cannot be checked here; undefined when they can. */
export function shellcheckMissing(): string | undefined {
  const { error } = spawnSync('shellcheck', ['--version']);
  return error === undefined ? undefined : 'shellcheck is missing: apt-get install shellcheck';
}

/** What shellcheck finds in a script, or an empty text. */
export function shellcheck(script: string, dialect = 'sh'): string {
  const args = ['--severity=style', '--format=gcc', `--shell=${dialect}`, '-'];
  const { stdout, stderr } = spawnSync('shellcheck', args, { input: script, encoding: 'utf8' });
  return `${stdout}${stderr}`.trim();
}
