import t from 'tap';
import type { JobPhase } from '../../../src/core/control.js';
import { PROFILE_STATES } from '../../../src/core/lifecycle.js';
import { judgeJob } from '../../../supervisor/profile/job.js';

const VIEW = { generation: 5, trouble: undefined, etaMs: undefined };

/** Every verb × state, for the generation that the verb asked for and for the one before it. */
const EXPECTED: Record<string, Record<(typeof PROFILE_STATES)[number], JobPhase>> = {
  'start, same generation': {
    stopped: 'failed',
    starting: 'starting',
    ready: 'done',
    degraded: 'done',
    draining: 'draining',
    backoff: 'failed',
    parked: 'failed',
    served: 'done',
  },
  'restart, same generation': {
    stopped: 'failed',
    starting: 'starting',
    ready: 'waiting',
    degraded: 'waiting',
    draining: 'draining',
    backoff: 'failed',
    parked: 'failed',
    served: 'waiting',
  },
  'restart, new generation': {
    stopped: 'failed',
    starting: 'starting',
    ready: 'done',
    degraded: 'done',
    draining: 'draining',
    backoff: 'failed',
    parked: 'failed',
    served: 'done',
  },
  'stop, same generation': {
    stopped: 'done',
    starting: 'failed',
    ready: 'failed',
    degraded: 'failed',
    draining: 'draining',
    backoff: 'failed',
    parked: 'done',
    served: 'failed',
  },
};

for (const [title, row] of Object.entries(EXPECTED)) {
  t.test(`a job of ${title} is judged by what is observed`, async (t) => {
    const verb = title.startsWith('stop')
      ? 'stop'
      : title.startsWith('start')
        ? 'start'
        : 'restart';
    const generation = title.includes('new') ? 4 : 5;
    for (const state of PROFILE_STATES) {
      const verdict = judgeJob({ verb, generation, satisfied: false }, { ...VIEW, state });
      t.equal(verdict.phase, row[state], state);
    }
  });
}

t.test('a failed job says why', async (t) => {
  const view = { ...VIEW, state: 'parked', trouble: 'no key' } as const;
  t.equal(judgeJob({ verb: 'start', generation: 5, satisfied: false }, view).detail, 'no key');
});

t.test('a verb that found its goal reached is done', async (t) => {
  const view = { ...VIEW, state: 'backoff' } as const;
  t.equal(judgeJob({ verb: 'reload', generation: 5, satisfied: true }, view).phase, 'done');
});
