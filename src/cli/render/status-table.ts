import type { ProfileStatus, StatusReport, SupervisorStatus } from '../../core/status.js';
import type { Paint } from '../paint.js';
import { describeBudgets, describeLongestStop } from './budgets.js';
import { readableLine } from './foreign-line.js';
import { printable } from './printable.js';
import {
  describeCounters,
  describeExit,
  describeNext,
  describePlatforms,
  describeWork,
  statePainter,
} from './profile-words.js';
import { type Cell, type Column, renderTable, tableWidth } from './table.js';
import { formatAge, formatBytes } from './units.js';
import { wrapText } from './wrap.js';

/** What a rendering depends on besides the report. */
export interface View {
  readonly columns: number;
  readonly paint: Paint;
  readonly nowMs: number;
  /** also what is of use only now and then */
  readonly verbose?: boolean;
  /** commands in our own hints as they must be typed for this home */
  readonly aim?: (hint: string) => string;
}

const BASE: readonly Column[] = [
  { title: 'PROFILE' },
  { title: 'STATE' },
  { title: 'SINCE' },
  { title: 'PID', align: 'right' },
  { title: 'RESTARTS' },
  { title: 'CPU', align: 'right' },
  { title: 'MEMORY', align: 'right' },
];
const PROCESSES: Column = { title: 'PROCS', align: 'right' };
const PLATFORMS: Column = { title: 'PLATFORMS' };
const NEXT: Column = { title: 'NEXT' };
const INDENT = '  ';

/** The whole answer of `gatewarden status` for people: fits the given columns where it can. */
export function renderStatus(report: StatusReport, view: View): string {
  const lines = [...supervisorLines(report.supervisor, view)];
  if (report.profiles.length === 0) {
    const { aim = String } = view;
    const hint = aim('add one with: gatewarden profile add NAME');
    return [...lines, '', `no profiles; ${hint}`].join('\n');
  }
  return [...lines, '', ...profileLines(report.profiles, view)].join('\n');
}

function supervisorLines(supervisor: SupervisorStatus, view: View): readonly string[] {
  const { paint } = view;
  const state =
    supervisor.state === 'draining' ? paint.yellow('draining') : paint.green(supervisor.state);
  const facts = [
    `supervisor ${state}`,
    `pid ${supervisor.pid}`,
    `up ${formatAge(supervisor.startedAt, view.nowMs)}`,
    supervisor.manager,
    `containment ${supervisor.containment}`,
  ];
  return [
    facts.join(' · '),
    ...(supervisor.weakerBecause === null
      ? []
      : wrapText(
          printable(supervisor.weakerBecause),
          view.columns,
          `${INDENT}containment is not cgroup2: `,
        ).map(paint.dim)),
    ...budgetLines(supervisor, view),
    ...supervisor.notices.flatMap((notice) =>
      wrapText(printable(notice), view.columns, `${INDENT}notice: `).map(paint.yellow),
    ),
  ];
}

function budgetLines({ budgets }: SupervisorStatus, view: View): readonly string[] {
  const isWhole = view.verbose === true;
  const text = isWhole ? describeBudgets(budgets) : describeLongestStop(budgets);
  // from a supervisor of an older version
  if (text === '') return [];
  const prefix = isWhole ? `${INDENT}a stop ends by: ` : INDENT;
  return wrapText(text, view.columns, prefix).map(view.paint.dim);
}

/** Causes, platforms and next step stand in the row where there is room, below it otherwise. */
function profileLines(profiles: readonly ProfileStatus[], view: View): readonly string[] {
  const layouts = [
    {
      columns: [...BASE, PROCESSES, PLATFORMS, NEXT],
      inRow: { causes: true, processes: true, platforms: true, next: true },
    },
    {
      columns: [...BASE, PLATFORMS],
      inRow: { causes: false, processes: false, platforms: true, next: false },
    },
    { columns: BASE, inRow: { causes: false, processes: false, platforms: false, next: false } },
  ] as const;
  const fitting = layouts.find((layout) => {
    const rows = profiles.map((profile) => rowOf(profile, view, layout.inRow));
    return tableWidth(layout.columns, rows) <= view.columns;
  });
  const { columns, inRow } = fitting ?? layouts[2];
  const rows = profiles.map((profile) => rowOf(profile, view, inRow));
  const [header = '', ...lines] = renderTable(columns, rows, view.paint.dim);
  return [
    header,
    ...profiles.flatMap((profile, index) => [
      lines[index] ?? '',
      ...detailLines(profile, view, inRow),
    ]),
  ];
}

interface InRow {
  readonly causes: boolean;
  readonly processes: boolean;
  readonly platforms: boolean;
  readonly next: boolean;
}

function rowOf(profile: ProfileStatus, view: View, inRow: InRow): readonly Cell[] {
  const { cpuPercent, processes, rssBytes } = profile.resources;
  const causes = inRow.causes ? describeCounters(profile.restarts) : '';
  const cells: Cell[] = [
    { text: profile.name, paint: view.paint.bold },
    { text: profile.state, paint: statePainter(profile.state, view.paint) },
    { text: formatAge(profile.since, view.nowMs) },
    { text: profile.pid === null ? '-' : String(profile.pid) },
    { text: `${profile.restarts.total}${causes === '' ? '' : ` (${causes})`}` },
    { text: cpuPercent === null ? '-' : `${cpuPercent.toFixed(1)}%` },
    { text: rssBytes === null ? '-' : formatBytes(rssBytes) },
  ];
  if (inRow.processes) cells.push({ text: processes === null ? '-' : String(processes) });
  if (inRow.platforms) cells.push({ text: describePlatforms(profile.platforms) || '-' });
  if (inRow.next) cells.push({ text: describeNext(profile, view.nowMs) || '-' });
  return cells;
}

function detailLines(profile: ProfileStatus, view: View, inRow: InRow): readonly string[] {
  const { aim = String } = view;
  return details(profile, view.nowMs, inRow).flatMap(({ label, text, loud }) =>
    wrapText(
      printable(label === REMEDY ? aim(text) : text),
      view.columns,
      `${INDENT}${label}: `,
    ).map((line) => (loud === true ? view.paint.red(line) : view.paint.dim(line))),
  );
}

interface Detail {
  readonly label: string;
  readonly text: string;
  readonly loud?: boolean;
}

/** The one text of ours that holds commands; the others may quote whatever a program has said. */
const REMEDY = 'remedy';

function details(profile: ProfileStatus, nowMs: number, inRow: InRow): readonly Detail[] {
  const { lastExit, parked, state } = profile;
  const all: (Detail | undefined)[] = [
    parked === null
      ? undefined
      : { label: `parked (${parked.reason})`, text: readableLine(parked.detail), loud: true },
    parked === null ? undefined : { label: REMEDY, text: parked.remedy },
    state !== 'starting' || profile.phase === null
      ? undefined
      : { label: 'phase', text: profile.phase },
    state === 'backoff' && lastExit !== null
      ? { label: 'last exit', text: withDetail(describeExit(lastExit), lastExit.detail) }
      : undefined,
    { label: 'next', text: inRow.next ? '' : describeNext(profile, nowMs) },
    { label: 'restarts', text: inRow.causes ? '' : describeCounters(profile.restarts) },
    { label: 'platforms', text: inRow.platforms ? '' : describePlatforms(profile.platforms) },
    ...profile.platforms
      .filter((platform) => platform.state !== 'connected' && (platform.detail ?? '') !== '')
      .map((platform) => ({ label: platform.name, text: platform.detail ?? '' })),
    { label: 'in progress', text: state === 'draining' ? describeWork(profile) : '' },
    { label: 'account', text: profile.account ?? '' },
    { label: 'served by', text: profile.served ?? '' },
    profile.storm
      ? { label: 'alarm', text: 'it dies again and again (storm)', loud: true }
      : undefined,
    ...profile.notices.map((text) => ({ label: 'notice', text })),
  ];
  return all.filter((detail): detail is Detail => detail !== undefined && detail.text !== '');
}

function withDetail(text: string, detail: string | null): string {
  return detail === null ? text : `${text}: ${readableLine(detail)}`;
}
