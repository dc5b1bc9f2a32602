import { randomBytes } from 'node:crypto';
import { type Containment, chooseContainment } from '../../src/containment/index.js';
import { SessionContainment } from '../../src/containment/session/session-containment.js';

interface Teardown {
  teardown(action: () => unknown): unknown;
}

const MUST_HAVE = process.env['GATEWARDEN_REQUIRE_REAL'] === '1';

/** A tag that no other test carries. */
export function uniqueTag(): string {
  return `test-${process.pid}-${randomBytes(4).toString('hex')}`;
}

/** The best of this host, in a subtree that is removed after the test. */
export function openBest(t: Teardown): Containment {
  const tag = uniqueTag();
  const containment = chooseContainment({
    tag,
    leaf: 'supervisor',
    treeName: `gatewarden-${tag}`,
  });
  t.teardown(() => containment.close());
  return containment;
}

export function openSession(): Containment {
  return new SessionContainment(uniqueTag(), 'the test asked for this rung');
}

/** Why a test of the first rung cannot run here; false when it can, or must. */
export function skipWithoutCgroups(): string | false {
  if (MUST_HAVE) return false;
  const containment = chooseContainment({
    tag: uniqueTag(),
    leaf: 'supervisor',
    treeName: `gatewarden-probe-${process.pid}`,
  });
  void containment.close();
  return containment.rung === 'cgroup2' ? false : `no cgroup rung: ${containment.weakerBecause}`;
}
