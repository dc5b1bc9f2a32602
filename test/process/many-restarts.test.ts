import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { fixture } from '../support/fixture.js';
import { makeHome, profileFile } from '../support/supervised-home.js';
import { rowOf, untilStatus, up } from '../support/up.js';

/** A thousand in the long run, enough to see a leak in the short one. */
const RESTARTS = process.env.GATEWARDEN_THOROUGH === '1' ? 1000 : 60;

/** V8 collects its old generation late: garbage of a burst may stay this long without a leak. */
const NOISE_BYTES = 24 * 1024 * 1024;

function descriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function statusNumber(pid: number, name: string): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]);
}

t.test('many restarts of a program leave descriptors, threads and memory flat', async (t) => {
  const home = makeHome(
    t,
    profileFile('crasher', {
      command: [fixture('exits-with'), '1'],
      restart: { backoff_base_seconds: 0.001, backoff_cap_seconds: 0.001 },
    }),
  );
  const { pid } = await up(t, home);
  const died = (count: number) =>
    untilStatus(
      home,
      `it died ${count} times`,
      (now) => (rowOf(now, 'crasher')?.restarts.failure ?? 0) >= count,
      { deadlineMs: 600_000 },
    );
  const warmUp = Math.floor(RESTARTS / 4);
  await died(warmUp);
  const before = {
    fds: descriptors(pid),
    threads: statusNumber(pid, 'Threads'),
    rss: statusNumber(pid, 'VmRSS') * 1024,
  };
  await died(warmUp + RESTARTS);
  const after = {
    fds: descriptors(pid),
    threads: statusNumber(pid, 'Threads'),
    rss: statusNumber(pid, 'VmRSS') * 1024,
  };
  t.comment(JSON.stringify({ restarts: RESTARTS, before, after }));
  // one generation may be alive at the one look and not at the other: two pipes and a probe
  t.ok(after.fds <= before.fds + 6, `descriptors ${before.fds} → ${after.fds}`);
  t.ok(after.threads <= before.threads, `threads ${before.threads} → ${after.threads}`);
  t.ok(after.rss <= before.rss + NOISE_BYTES, `memory ${before.rss} → ${after.rss}`);
});
