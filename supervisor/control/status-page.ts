import { formatDuration } from '../../src/core/durations.js';
import type { ProfileStatus, StatusReport } from '../../src/core/status.js';
import { escapeHtml } from './escape-html.js';

export interface PageOptions {
  /** epoch milliseconds */
  readonly now: number;
  /** makes the page's own script and style the only ones that run */
  readonly nonce: string;
}

/** The table as a page. Shows what `status` shows; refreshes itself from the same address. */
export function renderStatusPage(report: StatusReport, { now, nonce }: PageOptions): string {
  const { supervisor, profiles } = report;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Gatewarden: ${escapeHtml(supervisor.health)}</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
<h1>Gatewarden <span class="${escapeHtml(supervisor.health)}">${escapeHtml(supervisor.health)}</span></h1>
<p>${escapeHtml(describeSupervisor(report, now))}</p>
${renderNotices(supervisor.notices)}
<table>
<thead><tr>${COLUMNS.map((column) => `<th>${escapeHtml(column.title)}</th>`).join('')}</tr></thead>
<tbody>
${profiles.map((profile) => renderRow(profile, now)).join('\n')}
</tbody>
</table>
</main>
<p id="stale" hidden>The supervisor does not answer; what is shown is old.</p>
<script nonce="${nonce}">${SCRIPT}</script>
</body>
</html>
`;
}

/** Nothing from elsewhere, nothing inline but ours, in nobody's frame. */
export function pageSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

interface Column {
  readonly title: string;
  readonly text: (profile: ProfileStatus, now: number) => string;
}

const COLUMNS: readonly Column[] = [
  { title: 'profile', text: ({ name }) => name },
  { title: 'state', text: ({ state, phase }) => (phase === null ? state : `${state}: ${phase}`) },
  { title: 'for', text: ({ since }, now) => formatDuration(now - Date.parse(since)) },
  { title: 'pid', text: ({ pid }) => (pid === null ? '' : String(pid)) },
  { title: 'deaths', text: describeDeaths },
  { title: 'cpu', text: ({ resources }) => withUnit(resources.cpuPercent, '%') },
  { title: 'memory', text: ({ resources }) => toMebibytes(resources.rssBytes) },
  { title: 'platforms', text: ({ platforms }) => platforms.map(describePlatform).join(', ') },
  { title: 'work', text: ({ work }) => (work.active === 0 ? '' : String(work.active)) },
  { title: 'what next', text: describeNext },
];

function renderRow(profile: ProfileStatus, now: number): string {
  const cells = COLUMNS.map((column) => `<td>${escapeHtml(column.text(profile, now))}</td>`);
  const row = `<tr class="${escapeHtml(profile.state)}">${cells.join('')}</tr>`;
  const notes = notesOf(profile);
  if (notes.length === 0) return row;
  const text = notes.map(escapeHtml).join('<br>');
  return `${row}\n<tr class="notes"><td></td><td colspan="${COLUMNS.length - 1}">${text}</td></tr>`;
}

function notesOf({ parked, lastExit, notices, served }: ProfileStatus): string[] {
  const notes = [...notices];
  if (parked !== null) notes.push(`parked (${parked.reason}): ${parked.detail}`, parked.remedy);
  else if (lastExit?.detail != null)
    notes.push(`last exit (${lastExit.cause}): ${lastExit.detail}`);
  if (served !== null) notes.push(`served by ${served}`);
  return notes.filter((note) => note !== '');
}

function renderNotices(notices: readonly string[]): string {
  if (notices.length === 0) return '';
  return `<ul>${notices.map((notice) => `<li>${escapeHtml(notice)}</li>`).join('')}</ul>`;
}

function describeSupervisor({ supervisor }: StatusReport, now: number): string {
  const { version, pid, startedAt, manager, containment, state } = supervisor;
  const age = formatDuration(now - Date.parse(startedAt));
  return `version ${version}, pid ${pid}, ${state} for ${age} under ${manager}, containment ${containment}`;
}

function describeDeaths({ restarts, storm }: ProfileStatus): string {
  const causes = Object.entries(restarts)
    .filter(([cause, count]) => cause !== 'total' && cause !== 'asked' && count > 0)
    .map(([cause, count]) => `${count} ${cause}`);
  return [...causes, ...(storm ? ['storm'] : [])].join(', ');
}

function describePlatform({ name, state }: ProfileStatus['platforms'][number]): string {
  return state === 'connected' ? name : `${name} (${state})`;
}

function describeNext({ next, parked }: ProfileStatus, now: number): string {
  if (next !== null) return `${next.action} in ${formatDuration(Date.parse(next.at) - now)}`;
  return parked === null ? '' : `waits for ${parked.retriesOn}`;
}

function withUnit(value: number | null, unit: string): string {
  return value === null ? '' : `${value.toFixed(1)} ${unit}`;
}

function toMebibytes(bytes: number | null): string {
  return bytes === null ? '' : `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

const STYLE = `
body{font:15px/1.5 system-ui,sans-serif;margin:2rem;color:#1c1e21;background:#fff}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.35rem .75rem;border-bottom:1px solid #ddd;vertical-align:top}
h1 span{font-size:1rem;padding:.1rem .6rem;border-radius:1rem;color:#fff;background:#777}
h1 .ok{background:#2e7d32}h1 .degraded{background:#b26a00}h1 .down{background:#c62828}
tr.ready td:nth-child(2){color:#2e7d32}
tr.parked td:nth-child(2){color:#c62828}
tr.backoff td:nth-child(2),tr.degraded td:nth-child(2){color:#b26a00}
tr.notes td{color:#555;font-size:.9rem}
#stale{color:#c62828}
@media(prefers-color-scheme:dark){body{color:#e4e6eb;background:#18191a}th,td{border-color:#3a3b3c}tr.notes td{color:#aaa}}
`;

/** Rendered on the server each time, so that text is escaped in one place only. */
const SCRIPT = `
const refresh = async () => {
  try {
    const answer = await fetch('/', { headers: { accept: 'text/html' }, cache: 'no-store' });
    if (!answer.ok) throw new Error(answer.status);
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    document.querySelector('main').replaceWith(page.querySelector('main'));
    document.title = page.title;
    document.querySelector('#stale').hidden = true;
  } catch {
    document.querySelector('#stale').hidden = false;
  }
  setTimeout(refresh, 2000);
};
setTimeout(refresh, 2000);
`;
