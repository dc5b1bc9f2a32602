import { readFileSync } from 'node:fs';
import { GatewardenError } from '../src/core/errors.js';
import { runProgram } from './run-program.js';
import type { Account } from './service.js';

const LOOKUP_TIMEOUT_MS = 10_000;

/** A name that every manager and shell takes as it is. */
const PLAIN_NAME = /^[\w][\w.-]*\$?$/;

/**
 * An account of this host, also one that is kept in a directory service.
 * @throws GatewardenError account-unknown
 */
export async function findAccount(who: { readonly name: string } | { readonly uid: number }) {
  const key = 'name' in who ? who.name : String(who.uid);
  const found =
    parsePasswd(readPasswd(), who) ??
    parsePasswd(
      (await runProgram(['getent', 'passwd', key], { timeoutMs: LOOKUP_TIMEOUT_MS })).stdout,
      who,
    );
  if (found === undefined || !PLAIN_NAME.test(found.name)) {
    throw new GatewardenError('account-unknown', { got: key });
  }
  return found;
}

/** passwd(5): name, password, uid, gid, comment, home, shell. */
export function parsePasswd(
  text: string,
  who: { readonly name: string } | { readonly uid: number },
): Account | undefined {
  for (const line of text.split('\n')) {
    const [name = '', , uid = '', gid = '', , home = ''] = line.split(':');
    const account = { name, uid: Number(uid), gid: Number(gid), home };
    if (name === '' || uid === '' || !home.startsWith('/')) continue;
    if ('name' in who ? name === who.name : account.uid === who.uid) return account;
  }
  return undefined;
}

function readPasswd(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8');
  } catch {
    return '';
  }
}
