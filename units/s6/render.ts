import { EXIT } from '../../src/core/exit-codes.js';
import { sortedEntries } from '../environment.js';
import { codesPermanentForS6 } from '../exit-lists.js';
import { type GeneratedFile, generatedNote, PLAIN_MODE, SCRIPT_MODE } from '../generated-file.js';
import { describeSubject } from '../names.js';
import type { Account, Service } from '../service.js';
import { quoteShell } from '../shell/escape.js';
import { escapeComment, escapeLogDirectory } from './escape.js';
import { NOTIFICATION_FD, S6_LOG, S6_POLICY } from './policy.js';

/** The answer of a finish script that means: do not start it again. */
export const FINISH_PERMANENT = 125;

/** What s6-supervise gives finish instead of a code when a signal ended the service. */
export const FINISH_KILLED = 256;

export interface S6Options {
  readonly logDirectory: string;
  /** first line of the scripts: a plain shell, or the one of s6-overlay that reads the container's environment */
  readonly shell: S6Shell;
}

export type S6Shell = '/bin/sh' | '/command/with-contenv sh';

const NOTE = generatedNote('gatewarden units install s6');

/** A service directory: files by their path in it. */
export function renderS6Slot(service: Service, options: S6Options): readonly GeneratedFile[] {
  return [
    { path: 'run', text: renderRun(service, options.shell), mode: SCRIPT_MODE },
    { path: 'finish', text: renderFinish(), mode: SCRIPT_MODE },
    { path: 'log/run', text: renderLogRun(service, options), mode: SCRIPT_MODE },
    valueFile('timeout-kill', String(Math.ceil(service.budgets.stopMs))),
    ...S6_POLICY.map(({ file, value }) => valueFile(file, value)),
    valueFile('log/type', 'longrun'),
    valueFile('log/notification-fd', String(NOTIFICATION_FD)),
  ];
}

/** Such a file is the bare value: a first line that says where it comes from would be the value. */
function valueFile(path: string, value: string): GeneratedFile {
  return { path, text: `${value}\n`, mode: PLAIN_MODE };
}

function renderRun(service: Service, shell: S6Shell): string {
  const who = describeSubject(service.subject);
  return `#!${shell}
# ${NOTE}
# Started by s6-supervise, as the account of s6-svscan. Becomes the ${escapeComment(who)}: same
# process, which writes a newline to descriptor ${NOTIFICATION_FD} when it is ready. After it: finish.
# shellcheck disable=SC1003,SC2016 # quotes and dollars in a value are meant as they stand
exec 2>&1
cd ${quoteShell(service.home)} || exit ${EXIT.config}
${sortedEntries(service.env)
  .map(([name, value]) => `export ${name}=${quoteShell(value)}`)
  .join('\n')}
${becomeLines(service.account, service.argv.map(quoteShell).join(' '))}
`;
}

/** Without root there is nobody to become, and asking for it fails in some containers. */
function becomeLines(account: Account | undefined, command: string): string {
  if (account === undefined) return `exec ${command}`;
  return `if [ "$(id -u)" -eq 0 ]; then
  exec s6-setuidgid ${quoteShell(account.name)} ${command}
fi
exec ${command}`;
}

function renderFinish(): string {
  return `#!/bin/sh
# ${NOTE}
# Started by s6-supervise when run has ended: its exit code or ${FINISH_KILLED}, the signal, the name of
# the slot and, from s6 2.12 on, its process group. Answers ${FINISH_PERMANENT} when no retry can help: the
# slot then stays down. Anything else is started again.
if [ -n "\${4:-}" ] && [ "$4" -gt 1 ]; then
  kill -KILL -- "-$4" 2>/dev/null
fi
case "$1" in
  ${FINISH_KILLED}) exit 0 ;;
  ${codesPermanentForS6().join(' | ')}) exit ${FINISH_PERMANENT} ;;
esac
exit 0
`;
}

function renderLogRun({ account }: Service, { logDirectory }: S6Options): string {
  const directory = escapeLogDirectory(logDirectory);
  const drop =
    account === undefined
      ? ''
      : `if [ "$(id -u)" -eq 0 ]; then
  exec s6-setuidgid ${quoteShell(account.name)} ./run
fi
`;
  return `#!/bin/sh
# ${NOTE}
# Started by s6-supervise, as the account of s6-svscan, in its own folder, with the output of the
# service on stdin. Becomes s6-log as the account of the service: the directory and the lock that a
# dead s6-log left on a shared mount are that account's business, so no link can lead root elsewhere.
# shellcheck disable=SC1003,SC2016 # quotes and dollars in a value are meant as they stand
exec 2>&1
${drop}mkdir -p ${directory} || exit 1
rm -f ${directory}/lock
exec s6-log -b -d${NOTIFICATION_FD} -- 1 n${S6_LOG.files} s${S6_LOG.maxBytes} T ${directory}
`;
}
