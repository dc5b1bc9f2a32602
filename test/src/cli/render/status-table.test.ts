import { stripVTControlCharacters } from 'node:util';
import t from 'tap';
import { aimHints } from '../../../../src/cli/aim-hints.js';
import { createPaint, PLAIN } from '../../../../src/cli/paint.js';
import { renderStatus } from '../../../../src/cli/render/status-table.js';
import { renderWhy } from '../../../../src/cli/why/render-why.js';
import { aProfile, aReport, counters, isoBefore, NOW_MS } from '../../../support/status-facts.js';

const BACKING_OFF = aProfile({
  name: 'bot-2',
  state: 'backoff',
  pid: null,
  since: isoBefore(3000),
  restarts: counters({ failure: 5, planned: 1 }),
  lastExit: {
    code: 1,
    signal: null,
    cause: 'failure',
    uptimeMs: 812,
    at: isoBefore(3000),
    evidence: null,
    detail: "KeyError: 'TOKEN'",
  },
  next: { action: 'restart', at: isoBefore(-8000), delayMs: 8000 },
  platforms: [],
  resources: { cpuPercent: null, rssBytes: null, processes: null, containment: 'session+tag' },
});
const PARKED = aProfile({
  ...BACKING_OFF,
  name: 'legacy',
  state: 'parked',
  since: isoBefore(120_000),
  restarts: counters({ config: 1 }),
  next: null,
  parked: {
    reason: 'config',
    detail: 'telegram needs a token and the file .env has none for the key TELEGRAM_TOKEN',
    remedy: 'set TELEGRAM_TOKEN in profiles/legacy/.env',
    since: isoBefore(120_000),
    retriesOn: 'config-change',
  },
});
const REPORT = aReport(aProfile(), BACKING_OFF, PARKED);

function rendered(columns: number): string {
  return renderStatus(REPORT, { columns, paint: PLAIN, nowMs: NOW_MS });
}

t.test('80 columns hold the table, and what does not fit stands below its row', async (t) => {
  t.equal(
    rendered(80),
    `supervisor running · pid 4242 · up 3h 12m · terminal · containment session+tag
  containment is not cgroup2: no cgroup v2 hierarchy is mounted
  a stop takes at most 1m 28s

PROFILE  STATE    SINCE    PID  RESTARTS   CPU  MEMORY  PLATFORMS
coder    ready    3h 12m  4711  0         0.4%  52 MiB  local
bot-2    backoff  3s         -  6            -       -  -
  last exit: code 1 (failure) after 812ms: KeyError: 'TOKEN'
  next: restart in 8s
  restarts: 5 failure, 1 planned
legacy   parked   2m         -  1            -       -  -
  parked (config): telegram needs a token and the file .env has none for the key
                   TELEGRAM_TOKEN
  remedy: set TELEGRAM_TOKEN in profiles/legacy/.env
  restarts: 1 config`,
  );
});

t.test('who asks for more sees by when each step of a stop is over', async (t) => {
  const view = { columns: 80, paint: PLAIN, nowMs: NOW_MS, verbose: true };
  t.match(
    renderStatus(REPORT, view),
    `  a stop ends by: drain 40s · interrupt-grace 45s · evidence-dump 50s ·
                  supervisor-kill 55s · manager-stop 1m 28s · runtime-grace 1m
                  38s
`,
  );
});

t.test('a wide terminal shows causes and the next step in the row', async (t) => {
  const lines = rendered(120).split('\n');
  const header = lines.find((line) => line.startsWith('PROFILE'));
  const backingOff = lines.find((line) => line.startsWith('bot-2'));
  t.match(header, /RESTARTS .* MEMORY {2}PROCS {2}PLATFORMS {2}NEXT$/);
  t.match(backingOff, /6 \(5 failure, 1 planned\) .* restart in 8s$/);
});

t.test('a narrow terminal loses the platforms column, not its content', async (t) => {
  const lines = rendered(62).split('\n');
  const header = lines.find((line) => line.startsWith('PROFILE'));
  t.ok(header);
  t.notMatch(header, 'PLATFORMS');
  t.ok(lines.includes('  platforms: local'));
});

t.test('colours change nothing but colours', async (t) => {
  const view = { columns: 80, paint: createPaint(true), nowMs: NOW_MS };
  const colourful = renderStatus(REPORT, view);
  t.not(colourful, rendered(80));
  t.equal(stripVTControlCharacters(colourful), rendered(80));
});

t.test('a supervisor in trouble says so above the table', async (t) => {
  const { profiles, supervisor } = aReport();
  const notices = ['history is not being written: disk full'];
  const text = renderStatus(
    { supervisor: { ...supervisor, state: 'draining', notices }, profiles },
    { columns: 80, paint: PLAIN, nowMs: NOW_MS },
  );
  t.match(text, /^supervisor draining · /);
  t.match(text, '\n  notice: history is not being written: disk full\n');
  t.match(text, 'no profiles; add one with: gatewarden profile add NAME');
});

t.test('commands to type carry the home that is looked at', async (t) => {
  const aim = (hint: string) => aimHints(hint, 'gatewarden --home /srv/bots');
  const view = { columns: 200, paint: PLAIN, nowMs: NOW_MS, aim };
  const detail = 'it said: gatewarden start coder';
  const remedy = 'mend it, then: gatewarden start coder';
  const parked = { ...PARKED.parked, detail, remedy } as typeof PARKED.parked;
  const report = { ...REPORT, profiles: [aProfile({ ...PARKED, parked })] };
  const text = renderStatus(report, view);
  t.match(text, 'remedy: mend it, then: gatewarden --home /srv/bots start coder');
  t.match(text, 'it said: gatewarden start coder', 'and what a program has said stays as it is');
  const why = { paragraph: 'It is down.', lastLines: [], todo: 'start it: gatewarden start coder' };
  t.match(
    renderWhy({ ...why, evidence: undefined }, view),
    'To do: start it: gatewarden --home /srv/bots start coder',
  );
});

t.test('a weaker containment is told with its reason', async (t) => {
  const { profiles, supervisor } = aReport();
  const weakerBecause = 'no cgroup v2 hierarchy is mounted';
  const text = renderStatus(
    { supervisor: { ...supervisor, weakerBecause }, profiles },
    { columns: 80, paint: PLAIN, nowMs: NOW_MS },
  );
  t.match(text, '\n  containment is not cgroup2: no cgroup v2 hierarchy is mounted\n');
});

t.test('foreign text cannot move the cursor of who reads the table', async (t) => {
  const hostile = aProfile({ ...PARKED, notices: ['\u001b[2Jx\u0007'] });
  const text = renderStatus(aReport(hostile), { columns: 80, paint: PLAIN, nowMs: NOW_MS });
  t.notMatch(text.replaceAll('\n', ''), /\p{Cc}/u);
});
