import { accessSync, constants, statSync } from 'node:fs';
import type { HomeLayout } from '../src/config/paths.js';
import { errnoOf, GatewardenError, messageOf } from '../src/core/errors.js';
import { ensureDirectory } from '../src/store/index.js';

/**
 * Makes sure that the home can be worked in.
 * @throws GatewardenError home-missing, home-unusable
 */
export function prepareHome(layout: HomeLayout): void {
  requireDirectory(layout.home);
  try {
    for (const directory of [layout.stateDir, layout.logsDir]) {
      ensureDirectory(directory);
      accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    }
  } catch (error) {
    throw unusable(layout.home, error);
  }
}

function requireDirectory(home: string): void {
  try {
    if (statSync(home).isDirectory()) return;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw new GatewardenError('home-missing', { path: home });
    throw unusable(home, error);
  }
  throw new GatewardenError('home-unusable', {
    path: home,
    reason: 'a file',
    hint: 'name a directory with --home or GATEWARDEN_HOME',
  });
}

/** What cures each errno of a home that cannot be used. */
const HINTS: Readonly<Record<string, string>> = {
  EROFS: 'mount its file system writable, or name another home with --home',
  ENOSPC: 'free some space on its file system, then start again',
  EDQUOT: 'raise the quota or free some space, then start again',
  EACCES: 'give its user the right to write there, or name another home with --home',
  EPERM: 'give its user the right to write there, or name another home with --home',
};

function unusable(home: string, error: unknown): GatewardenError {
  const hint = HINTS[errnoOf(error) ?? ''] ?? 'name another home with --home';
  return new GatewardenError(
    'home-unusable',
    { path: home, reason: messageOf(error), hint },
    { cause: error },
  );
}
