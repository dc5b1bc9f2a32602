import t from 'tap';
import { PROFILE_STATES, type ProfileState } from '../../../src/core/lifecycle.js';
import {
  type Desired,
  judgeStatus,
  type StatusReport,
  type StatusVerdict,
} from '../../../src/core/status.js';

/** Only what the verdict looks at. */
function reportOf(...profiles: readonly (readonly [ProfileState, Desired])[]): StatusReport {
  return {
    profiles: profiles.map(([state, desired]) => ({ state, desired })),
  } as unknown as StatusReport;
}

const WANTED: Readonly<Record<ProfileState, StatusVerdict>> = {
  stopped: 'down',
  starting: 'degraded',
  ready: 'ready',
  degraded: 'degraded',
  draining: 'degraded',
  backoff: 'degraded',
  parked: 'down',
  served: 'ready',
};

t.test('each state of a wanted profile has its verdict', async (t) => {
  for (const state of PROFILE_STATES) {
    t.equal(judgeStatus(reportOf([state, 'running'])), WANTED[state], state);
  }
});

t.test('a profile that an operator stopped is no fault in any state', async (t) => {
  for (const state of PROFILE_STATES) {
    t.equal(judgeStatus(reportOf([state, 'stopped'], ['ready', 'running'])), 'ready', state);
  }
});

t.test('of two wanted profiles the worse one decides, in either order', async (t) => {
  const rank: readonly StatusVerdict[] = ['ready', 'degraded', 'down'];
  for (const left of PROFILE_STATES) {
    for (const right of PROFILE_STATES) {
      const worse = Math.max(rank.indexOf(WANTED[left]), rank.indexOf(WANTED[right]));
      t.equal(judgeStatus(reportOf([left, 'running'], [right, 'running'])), rank[worse]);
    }
  }
});

t.test('nothing that should run means that all is well', async (t) => {
  t.equal(judgeStatus(reportOf()), 'ready');
});
