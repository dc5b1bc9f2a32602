import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { packageFile } from '../../core/package-root.js';
import type { RunAs } from '../port.js';
import { isRunnable } from './resolve-program.js';

/** Fixed, because it is started as root. */
const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv', '/usr/local/bin/setpriv'] as const;

/** What a shell needs that is still root; nothing of the program's. */
const ROOT_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

const SHELL = '/bin/sh';

/**
 * The program that gives up root with all of its groups after the cgroup was joined; undefined
 * where there is none. Node can start a child as another account, but drops every supplementary
 * group, and only before anything else can be done.
 */
export function findSetpriv(): string | undefined {
  return SETPRIV.find((file) => isRunnable(file) && !isBusybox(file));
}

/** Its setpriv knows none of the options. */
function isBusybox(file: string): boolean {
  return basename(realpathSync(file)) === 'busybox';
}

/** What is run instead of the program, to become the account and then the program. */
export function becomingWords(
  setpriv: string,
  { gid, groups, uid }: RunAs,
  shellNames: string,
): readonly string[] {
  return [
    setpriv,
    `--reuid=${uid}`,
    `--regid=${gid}`,
    groups.length === 0 ? '--clear-groups' : `--groups=${groups.join(',')}`,
    '--inh-caps=-all',
    SHELL,
    packageFile('src', 'containment', 'launch', 'become.sh'),
    shellNames,
  ];
}

/** The program's environment in a form that says nothing to whoever is still root. */
export function packedEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(env).map(([name, value], at) => [
    `GATEWARDEN_LAUNCH_${at}`,
    `${name}=${value}`,
  ]);
  return { ...Object.fromEntries(entries), PATH: ROOT_PATH };
}
