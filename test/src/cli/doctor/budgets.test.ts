import t from 'tap';
import { judgeInstalled, parseShown } from '../../../../src/cli/doctor/budgets.js';

const WANTED = [{ unit: 'gatewarden.service', needsMs: 88_000 }];
const SHOWN = `Id=gatewarden.service
LoadState=loaded
TimeoutStopUSec=1min 10s

Id=gatewarden-gateway.service
LoadState=not-found
TimeoutStopUSec=1min 30s
`;

t.test("systemd's answer is read unit by unit", async (t) => {
  t.strictSame(parseShown(SHOWN, 'system'), [
    { unit: 'gatewarden.service', scope: 'system', loadState: 'loaded', stopMs: 70_000 },
    { unit: 'gatewarden-gateway.service', scope: 'system', loadState: 'not-found', stopMs: 90_000 },
  ]);
  t.strictSame(parseShown('', 'user'), []);
});

t.test('a unit that kills before our own chain is over is a finding with its cure', async (t) => {
  t.strictSame(judgeInstalled(WANTED, parseShown(SHOWN, 'system')), [
    {
      what: 'gatewarden.service (system) is killed 1m 10s after a stop began, which may take 1m 28s: no evidence would survive',
      remedy:
        'systemctl daemon-reload; if that is not it, a line of yours is in the way: raise TimeoutStopSec to 88 in what systemctl cat gatewarden.service shows',
    },
  ]);
});

t.test('a unit that does not exist, gives enough, or gives for ever is none', async (t) => {
  const unit = { unit: 'gatewarden.service', scope: 'user', loadState: 'loaded' } as const;
  for (const one of [
    { ...unit, loadState: 'not-found', stopMs: 1000 },
    { ...unit, stopMs: 88_000 },
    { ...unit, stopMs: Number.POSITIVE_INFINITY },
    { ...unit, stopMs: undefined },
    { ...unit, unit: 'other.service', stopMs: 1000 },
  ]) {
    t.strictSame(judgeInstalled(WANTED, [one]), []);
  }
});
