import type { ProfileStatus, StatusReport } from '../../core/status.js';
import { aimHints } from '../aim-hints.js';
import { localSocketOf } from '../chat/find-socket.js';
import { printable } from './printable.js';
import { renderTable } from './table.js';

export interface UpFacts {
  readonly report: StatusReport;
  readonly statusPage: string | undefined;
  /** `npx gatewarden`, `gatewarden --home /srv/bots` */
  readonly command: string;
}

/** What `up` says once every profile is ready, or known not to become so. */
export function renderUp({ report, statusPage, command }: UpFacts): string {
  const rows = report.profiles.map((profile) => [
    { text: profile.name },
    { text: profile.state },
    { text: urlsOf(profile) },
  ]);
  const [, ...table] = renderTable([{ title: '' }, { title: '' }, { title: '' }], rows, String);
  const parked = report.profiles.flatMap(({ name, parked }) =>
    parked === null
      ? []
      : [
          `${name} is parked: ${printable(parked.detail)}`,
          `  remedy: ${aimHints(printable(parked.remedy), command)}`,
        ],
  );
  const chat = chatProfile(report);
  return [
    ...table.map((line) => `  ${line}`),
    ...parked,
    ...(chat === undefined ? [] : [`talk to ${chat.name}:  ${command} chat${chat.words}`]),
    `status:  ${command} status`,
    ...(statusPage === undefined ? [] : [`status page:  ${statusPage}`]),
  ].join('\n');
}

function urlsOf({ listen }: ProfileStatus): string {
  return listen.filter((address) => address.startsWith('http')).join(' ');
}

/** The first profile that takes messages from a terminal; `chat` alone finds `default` and an only one. */
function chatProfile({
  profiles,
}: StatusReport): { readonly name: string; readonly words: string } | undefined {
  const talking = profiles.filter((profile) => localSocketOf(profile) !== undefined);
  const chosen = talking.find(({ name }) => name === 'default') ?? talking[0];
  if (chosen === undefined) return undefined;
  const isImplied = chosen.name === 'default' || profiles.length === 1;
  return { name: chosen.name, words: isImplied ? '' : ` ${chosen.name}` };
}
