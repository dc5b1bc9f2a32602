import t from 'tap';
import {
  type PendingSession,
  planResume,
  type ResumeFacts,
} from '../../../../src/gateway/resume/plan-resume.js';

function session(id: string, more: Partial<PendingSession> = {}): PendingSession {
  return { id, platform: 'local', chatId: id, cutAt: 10_000, attempts: 0, ...more };
}

const FACTS: ResumeFacts = {
  pending: [],
  boots: [{ at: 10_000, interrupted: 1 }],
  settings: {
    freshnessMs: 3600,
    loopGuard: { maxRestarts: 3, windowMs: 60, maxGapMs: 300 },
  },
  now: 10_000,
  pushes: new Set(['local']),
};

function plan(pending: readonly PendingSession[], more: Partial<ResumeFacts> = {}) {
  const { resume, suspend, left, isLoop } = planResume({ ...FACTS, ...more, pending });
  const ids = (sessions: typeof resume) => sessions.map(({ id }) => id);
  return { resume: ids(resume), suspend: ids(suspend), left: ids(left), isLoop };
}

t.test('what was cut off a moment ago is taken up', async (t) => {
  t.strictSame(plan([session('a'), session('b', { attempts: 1 })]), {
    resume: ['a', 'b'],
    suspend: [],
    left: [],
    isLoop: false,
  });
});

t.test('what was cut off too long ago is left to its next message', async (t) => {
  const old = session('old', { cutAt: 10_000 - 3601 });
  t.match(plan([old, session('edge', { cutAt: 10_000 - 3600 })]), {
    resume: ['edge'],
    left: ['old'],
  });
  const always = { ...FACTS.settings, freshnessMs: 0 };
  t.match(plan([old], { settings: always }), { resume: ['old'] }, '0 is never too long ago');
});

t.test('a chat that waits for nothing is left: its client comes again by itself', async (t) => {
  t.match(plan([session('api', { platform: 'api-server' })]), { resume: [], left: ['api'] });
});

t.test('a conversation in the middle of a turn at the third restart is set aside', async (t) => {
  t.match(plan([session('stuck', { attempts: 2 }), session('b', { attempts: 1 })]), {
    resume: ['b'],
    suspend: ['stuck'],
  });
});

t.test(
  'when restarts go round in circles nothing is taken up, and nothing forgotten',
  async (t) => {
    const boots = [10_000, 9900, 9800].map((at) => ({ at, interrupted: 1 }));
    t.strictSame(plan([session('a'), session('stuck', { attempts: 2 })], { boots }), {
      resume: [],
      suspend: ['stuck'],
      left: ['a'],
      isLoop: true,
    });
  },
);
