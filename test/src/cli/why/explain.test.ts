import t from 'tap';
import { PLAIN } from '../../../../src/cli/paint.js';
import { explain } from '../../../../src/cli/why/explain.js';
import { renderWhy } from '../../../../src/cli/why/render-why.js';
import { CAUSES, type Cause, type Death } from '../../../../src/core/death.js';
import { PROFILE_STATES, type ProfileState } from '../../../../src/core/lifecycle.js';
import type { ProfileStatus } from '../../../../src/core/status.js';
import { golden } from '../../../support/golden.js';
import { aDeath, aProfile, counters, isoBefore, NOW_MS } from '../../../support/status-facts.js';

const VIEW = { columns: 80, paint: PLAIN, nowMs: NOW_MS };

/** How a death of each cause really looks. */
const DEATHS: Readonly<Record<Cause, Partial<Death>>> = {
  asked: { outcome: { kind: 'code', code: 0 }, readyMs: 9000, uptimeMs: 10_000, detail: undefined },
  planned: {
    outcome: { kind: 'code', code: 75 },
    readyMs: 9000,
    uptimeMs: 10_000,
    detail: undefined,
  },
  config: { outcome: { kind: 'code', code: 78 }, detail: 'the key TOKEN has no value' },
  usage: { outcome: { kind: 'code', code: 64 }, detail: 'unknown option --prot' },
  failure: {},
  bug: { outcome: { kind: 'code', code: 70 }, evidence: '/srv/gw/evidence/7.json' },
  stall: {
    outcome: { kind: 'signal', signal: 'SIGKILL' },
    readyMs: 3_600_000,
    uptimeMs: 3_601_000,
    detail: 'the loop did not turn for 90s',
    evidence: '/srv/gw/evidence/7.json',
  },
  oom: { outcome: { kind: 'signal', signal: 'SIGKILL' }, detail: undefined },
  'start-timeout': { outcome: { kind: 'signal', signal: 'SIGKILL' }, uptimeMs: 60_000 },
  lost: { outcome: { kind: 'signal', signal: 'SIGKILL' }, detail: undefined },
};

const STATES: Readonly<Record<ProfileState, Partial<ProfileStatus>>> = {
  stopped: { desired: 'stopped', pid: null },
  starting: {
    phase: 'opening the session store',
    next: { action: 'start-deadline', at: isoBefore(-52_000), delayMs: 52_000 },
  },
  ready: {},
  degraded: { notices: ['degraded: the API server does not answer'] },
  draining: {
    next: { action: 'kill', at: isoBefore(-12_000), delayMs: 12_000 },
    work: {
      active: 2,
      units: [
        { kind: 'turn', id: 'a', session: 's', startedAt: NOW_MS - 1000 },
        { kind: 'turn', id: 'b', session: 's', startedAt: NOW_MS - 500 },
      ],
    },
  },
  backoff: {
    pid: null,
    next: { action: 'restart', at: isoBefore(-8000), delayMs: 8000 },
    lastLines: ['Traceback (most recent call last):', "KeyError: 'TOKEN'"],
  },
  parked: {
    pid: null,
    parked: {
      reason: 'config',
      detail: 'the key TOKEN has no value',
      remedy: 'set TOKEN in the .env of the profile',
      since: isoBefore(3000),
      retriesOn: 'config-change',
    },
  },
  served: { served: 'default', pid: null },
};

function statusOf(state: ProfileState, death: Death): ProfileStatus {
  const { outcome } = death;
  return aProfile({
    state,
    since: isoBefore(3000),
    restarts: counters({ failure: 5, planned: 1 }),
    lastExit: {
      code: outcome.kind === 'code' ? outcome.code : null,
      signal: outcome.kind === 'signal' ? outcome.signal : null,
      cause: death.cause,
      uptimeMs: death.uptimeMs,
      at: new Date(death.at).toISOString(),
      evidence: death.evidence ?? null,
      detail: death.detail ?? null,
    },
    ...STATES[state],
  });
}

function explained(profile: ProfileStatus, deaths: readonly Death[]): string {
  return renderWhy(explain({ profile, deaths, evidence: undefined, nowMs: NOW_MS }), VIEW);
}

t.test('every state and cause has a paragraph that an operator can read', async (t) => {
  const texts = PROFILE_STATES.flatMap((state) =>
    CAUSES.map((cause) => {
      const death = aDeath({ ...DEATHS[cause], cause });
      return `== ${state}, ${cause}\n${explained(statusOf(state, death), [death])}\n`;
    }),
  );
  const actual = texts.join('\n');
  t.equal(actual, golden('cli/why.txt', actual));
});

t.test('no line of a paragraph is wider than the terminal', async (t) => {
  for (const state of PROFILE_STATES) {
    const death = aDeath({ detail: 'a long story '.repeat(30) });
    const lines = explained(statusOf(state, death), [death]).split('\n');
    t.ok(
      lines.every((line) => line.length <= VIEW.columns),
      state,
    );
  }
});

t.test('a profile that never died is not said to have died', async (t) => {
  const text = explained(aProfile(), []);
  t.equal(
    text,
    'coder is ready and has been for 3h 12m (generation 7, pid 4711).\n\nTo do: nothing',
  );
});

t.test('a row of deaths with one cause is told as such', async (t) => {
  const death = aDeath();
  const text = explained(statusOf('backoff', death), [death, death, death, death]);
  t.match(text.replaceAll('\n', ' '), 'The 3 deaths before it had the same cause.');
});

t.test('a stopped profile that is wanted to run is told apart from one that is not', async (t) => {
  const death = aDeath(DEATHS.asked);
  const profile = { ...statusOf('stopped', death), desired: 'running' as const };
  t.match(explained(profile, [death]).replaceAll('\n', ' '), 'although it is wanted to run');
});

t.test('a crash loop says when the next try comes', async (t) => {
  const profile = aProfile({
    state: 'parked',
    pid: null,
    since: isoBefore(60_000),
    next: { action: 'probe', at: isoBefore(-600_000), delayMs: 600_000 },
    parked: {
      reason: 'crash-loop',
      detail: '6 deaths within 10m',
      remedy: 'cure the cause',
      since: isoBefore(60_000),
      retriesOn: 'probe',
    },
  });
  t.match(explained(profile, []).replaceAll('\n', ' '), 'It gets one try in 10m.');
});

t.test('escape sequences of a child never reach the terminal', async (t) => {
  const death = aDeath({ detail: 'red \u001b[31malert\u001b]0;title\u0007\u0000' });
  const profile = {
    ...statusOf('backoff', death),
    lastLines: ['\u001b[2J\u001b[Hgone\r'],
  };
  const text = explained(profile, [death]);
  t.notMatch(text.replaceAll('\n', ''), /\p{Cc}/u);
  t.match(text.replaceAll('\n', ' '), 'red alert');
  t.match(text, '  gone');
});

t.test('a run that vanished with its supervisor is told with its number', async (t) => {
  const detail = 'it vanished with its supervisor (pid 7), while draining';
  const outcome = { kind: 'unseen' } as const;
  const death = aDeath({ outcome, cause: 'lost', readyMs: 9000, generation: 2, detail });
  t.match(
    explained(statusOf('ready', death), [death]).replaceAll('\n', ' '),
    `Its last run (generation 2) ended unseen 3s ago, 812ms after its start: ${detail}.`,
  );
});

t.test('survivors of an earlier run are named', async (t) => {
  const notices = ['nothing could end these processes, it is tried again: pid 7, 8'];
  const profile = aProfile({ notices });
  const why = explain({ profile, deaths: [], evidence: undefined, nowMs: NOW_MS });
  t.match(why.paragraph, 'Notice: nothing could end these processes, it is tried again: pid 7, 8.');
});

t.test('what a watchdog saw of the present run is told, and nothing older than that', async (t) => {
  const seen = (agoMs: number) => ({
    kind: 'inactive-turn' as const,
    atMs: NOW_MS - agoMs,
    where: 'blocked in aTool (/srv/tool.js:1:1)',
    path: '/srv/evidence.json',
  });
  const profile = aProfile();
  const of = (agoMs: number, deaths: readonly Death[] = []) =>
    explain({ profile, deaths, evidence: seen(agoMs), nowMs: NOW_MS });
  const why = of(5000);
  t.match(
    why.paragraph,
    'evidence (inactive-turn) is 5s old: blocked in aTool (/srv/tool.js:1:1).',
  );
  t.equal(why.evidence, '/srv/evidence.json');
  const death = aDeath({ evidence: '/srv/of-the-end.json' });
  t.equal(of(NOW_MS - death.at + 1, [death]).evidence, '/srv/of-the-end.json', 'before its end');
  t.equal(of(NOW_MS - death.at - 1, [death]).evidence, '/srv/evidence.json', 'after it');
  const DAY_MS = 86_400_000;
  t.equal(of(DAY_MS).evidence, '/srv/evidence.json');
  t.equal(of(DAY_MS + 1).evidence, undefined, 'and for a day');
});
