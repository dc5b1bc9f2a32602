import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { loadConfig } from '../../src/config/index.js';
import type { ConfigProblem, LoadedProfile, ProfileConfig } from '../../src/config/model.js';

interface Teardown {
  teardown(handler: () => void): unknown;
}

/** A directory in /tmp with these files (paths relative to it); gone after the test. */
export function homeWith(t: Teardown, files: Readonly<Record<string, string | Buffer>>): string {
  const home = mkdtempSync(join(tmpdir(), 'gatewarden-config-'));
  t.teardown(() => rmSync(home, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) putFile(home, path, content);
  return home;
}

/** Writes one file of a home, environment files closed to others. */
export function putFile(home: string, path: string, content: string | Buffer): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  if (basename(file).endsWith('.env')) chmodSync(file, 0o600);
}

/** Loads a home and picks one of its profiles. */
export function profileOf(home: string, name = 'one'): LoadedProfile {
  const profile = loadConfig(home, { PATH: process.env['PATH'] }).profiles.get(name);
  if (profile === undefined) throw new Error(`no profile ${name} in ${home}`);
  return profile;
}

/** The configuration of a home whose only profile is `one`. */
export function loadOne(t: Teardown, text: string, env = ''): ProfileConfig {
  const profile = profileOf(oneProfile(t, text, env));
  if (profile.kind === 'good') return profile.config;
  throw new Error(`expected a good profile, got ${JSON.stringify(profile.problems)}`);
}

/** The problems of a home whose only profile is `one`; none when it is good. */
export function problemsOfOne(t: Teardown, text: string, env = ''): readonly ConfigProblem[] {
  const profile = profileOf(oneProfile(t, text, env));
  return profile.kind === 'bad' ? profile.problems : [];
}

function oneProfile(t: Teardown, text: string, env: string): string {
  return homeWith(t, { 'profiles/one/config.yaml': text, 'profiles/one/.env': env });
}
