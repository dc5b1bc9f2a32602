import { type ChildProcess, spawn } from 'node:child_process';
import type { ContainmentPlace } from '../../src/containment/index.js';
import { packageFile } from '../../src/core/package-root.js';
import { SCOPE_VARIABLE } from '../../src/core/scope.js';

/** Workers leave by themselves within 3 s; what is left after that is killed. */
const GRACE_SECONDS = 3;

/** A guardian that dies at once (no shell, no memory) is not started in a tight loop. */
const RESPAWN_AFTER_MS = 1000;

/**
 * A small process that outlives a `kill -9` of the supervisor and then ends what carries its
 * tag. It holds only a pipe; its death is noticed and repaired.
 */
export class Guardian {
  readonly #words: string[];
  readonly #groups = new Set<number>();
  #child: ChildProcess | undefined;
  #respawn: NodeJS.Timeout | undefined;
  #dismissed = false;

  /** @param place where the profiles' cgroups are; undefined without cgroups */
  constructor(scopePrefix: string, place: ContainmentPlace | undefined) {
    this.#words = [scopePrefix, String(GRACE_SECONDS)];
    if (place !== undefined) this.#words.push(place.tree, place.origin, place.leaf);
  }

  start(): void {
    if (this.#dismissed || this.#child !== undefined) return;
    const script = packageFile('supervisor', 'guardian', 'guardian.sh');
    const child = spawn('/bin/sh', [script, ...this.#words], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      env: { PATH: process.env.PATH, [SCOPE_VARIABLE]: undefined },
    });
    this.#child = child;
    // a broken pipe means that the guardian died: its exit event follows
    child.stdin?.on('error', () => undefined);
    child.once('error', () => this.#onGone(child));
    child.once('exit', () => this.#onGone(child));
    child.unref();
    (child.stdin as unknown as { unref?: () => void } | null)?.unref?.();
    for (const pid of this.#groups) this.#say(`add ${pid}`);
  }

  /** A program in a session of its own: it must be told, it does not watch us. */
  add(pid: number): void {
    this.#groups.add(pid);
    this.#say(`add ${pid}`);
  }

  remove(pid: number): void {
    if (this.#groups.delete(pid)) this.#say(`remove ${pid}`);
  }

  /** Orderly end: nothing is left that it would have to kill. */
  dismiss(): void {
    this.#dismissed = true;
    clearTimeout(this.#respawn);
    this.#say('farewell');
    this.#child?.stdin?.end();
  }

  #say(line: string): void {
    this.#child?.stdin?.write(`${line}\n`);
  }

  #onGone(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    if (this.#dismissed) return;
    this.#respawn = setTimeout(() => this.start(), RESPAWN_AFTER_MS);
    this.#respawn.unref();
  }
}
