import type { Service } from '../../units/service.js';
import { NO_LIMITS } from '../../units/service.js';

const HOME = '/home/ada/.gatewarden';

/** A supervisor's service as the command line builds it, with whatever a test wants different. */
export function serviceWith(changes: Partial<Service> = {}): Service {
  return {
    subject: { kind: 'supervisor' },
    home: HOME,
    argv: ['/bin/sh', `${HOME}/bin/gatewarden`, 'up'],
    afterStop: ['/bin/sh', `${HOME}/bin/gatewarden`, 'reap'],
    env: { GATEWARDEN_HOME: HOME, GATEWARDEN_SUPERVISED: '1', PATH: '/usr/bin:/bin' },
    envFile: `${HOME}/service.env`,
    account: undefined,
    budgets: { startMs: 90_000, stopMs: 88_000, watchdogMs: 120_000 },
    limits: NO_LIMITS,
    ...changes,
  };
}

export const ADA = { name: 'ada', uid: 1000, gid: 1000, home: '/home/ada' };
export const ROOT = { name: 'root', uid: 0, gid: 0, home: '/root' };

/** Texts that go wrong where somebody forgot a language: each is one argument or value. */
export const HOSTILE: Readonly<Record<string, string>> = {
  'a blank': 'a b',
  'many blanks': '  a  b  ',
  nothing: '',
  'double quotes': 'a "b" c',
  'single quotes': "it's 'so'",
  'a backslash': 'a\\b\\',
  'escapes spelt out': '\\n \\x41 \\u0041 \\s',
  percent: '100% %h %% %i',
  dollar: '$HOME ${HOME} $$ $(id) `id`',
  newline: 'a\nExecStart=/bin/false\n[Install]',
  'a carriage return and a tab': 'a\r\tb',
  'a leading dash': '-rf',
  'a leading at, plus, bang, colon': '@+!:x',
  'a semicolon alone': ';',
  'a hash': '# no comment',
  'not ASCII': 'ünï ☃ 日本 \u{1f600} \u00a0 \u2028',
  glob: '*?[a]{b,c}~',
  markup: '<a href="x">&amp;</a>]]>',
  'four kilobytes': `/${'d'.repeat(4095)}`,
};
