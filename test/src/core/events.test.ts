import t from 'tap';
import { EVENT_CODES, profileOf, VERBS } from '../../../src/core/events.js';

t.test('event codes are words joined by hyphens, each once', async (t) => {
  for (const code of EVENT_CODES) t.match(code, /^[a-z]+(-[a-z]+)*$/);
  t.equal(new Set(EVENT_CODES).size, EVENT_CODES.length);
});

t.test('an event knows its profile, and the supervisor’s own have none', async (t) => {
  t.equal(profileOf({ code: 'recovered', profile: 'coder' }), 'coder');
  t.equal(profileOf({ code: 'supervisor-stopped' }), undefined);
  t.equal(profileOf({ code: 'reload-refused', problems: 'x' }), undefined);
  t.equal(profileOf({ code: 'unclean-exit', profile: '', detail: 'x' }), undefined);
});

t.test('the verbs are those of the command line', async (t) => {
  t.strictSame([...VERBS], ['start', 'stop', 'restart', 'reload']);
});
