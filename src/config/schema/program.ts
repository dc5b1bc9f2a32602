import * as z from 'zod/mini';
import { DEFAULTS } from '../defaults.js';
import * as leaf from './leaves.js';

export function readySchema() {
  const expected = 'fd, notify, {http: URL}, {log: REGEX} or {started_seconds: N}';
  return z
    .union(
      [
        z.enum(['fd', 'notify'], expected),
        leaf
          .section(
            {
              http: leaf.httpUrl({
                about: 'ready when this URL answers with a 2xx status',
                example: 'http://127.0.0.1:9000/health',
              }),
              log: leaf.text(
                {
                  about:
                    'ready when a line of its output matches this regular expression (linear: no look-around, no back-references, no repetition of more than 16)',
                  example: 'listening on port \\d+',
                },
                'a regular expression',
              ),
              started_seconds: leaf.seconds({
                about: 'ready when it has lived for this long',
                byDefault: DEFAULTS.ready.started_seconds,
              }),
            },
            { about: 'one of the three' },
          )
          .check(
            z.refine(
              (value) => Object.keys(value).length === 1,
              'exactly one of http, log and started_seconds',
            ),
          ),
      ],
      expected,
    )
    .check(
      leaf.meta({
        about:
          'how `command` says that it is ready: fd (a newline on descriptor 3), notify (READY=1 to NOTIFY_SOCKET), or a mapping with one key',
        byDefault: DEFAULTS.ready,
        example: 'fd',
      }),
    );
}

export function envSchema() {
  const name = z
    .string()
    .check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a name of A-Z, a-z, 0-9 and _, first no digit'));
  const text = z
    .string()
    .check(z.refine((value) => !value.includes('\0'), 'text without NUL characters'));
  const value = z.union([z.number(), z.boolean(), text], 'text');
  return z.record(name, value, 'a mapping of names to texts').check(
    leaf.meta({
      about: 'environment of the program, or of the tools of the agent',
      example: { LOG_LEVEL: 'info', TOKEN: '${BOT_TOKEN}' },
    }),
  );
}

/** Lower case only: `Telegram` and `telegram` would be two scopes that never meet. */
const SCOPE_PATTERN = /^[a-z][a-z0-9_-]{0,31}$/;

export function ownsSchema() {
  const scope = z
    .string()
    .check(z.regex(SCOPE_PATTERN, 'the name of a platform such as telegram (a-z, 0-9, _ and -)'));
  const identity = leaf.requiredText({ about: 'the token, or what else names the account' });
  return z.record(scope, identity, 'a mapping of platforms to tokens').check(
    leaf.meta({
      about:
        'accounts of platforms that only this profile may use: no two gateways of this machine run with the same one',
      example: { telegram: '${BOT_TOKEN}' },
    }),
  );
}
