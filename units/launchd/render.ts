import { sortedEntries } from '../environment.js';
import { generatedNote } from '../generated-file.js';
import { launchdLabel, type NamedService } from '../names.js';
import type { Service } from '../service.js';
import { type PlistValue, renderPlistValue } from './plist.js';
import { LAUNCHD_POLICY, MAX_EXIT_TIMEOUT_SECONDS } from './policy.js';

const SECOND_MS = 1000;

export interface LaunchdOptions {
  readonly named: NamedService;
  readonly stdoutPath: string;
  readonly stderrPath: string;
}

/** @throws GatewardenError unit-value-refused */
export function renderPlist(service: Service, options: LaunchdOptions): string {
  const label = launchdLabel(options.named);
  const environment = { ...service.env, GATEWARDEN_LAUNCHD_LABEL: label };
  const job: Record<string, PlistValue> = {
    Label: label,
    ProgramArguments: service.argv,
    WorkingDirectory: service.home,
    EnvironmentVariables: Object.fromEntries(sortedEntries(environment)),
    ...(service.account === undefined ? {} : { UserName: service.account.name }),
    ExitTimeOut: exitTimeoutSeconds(service.budgets.stopMs),
    ...Object.fromEntries(LAUNCHD_POLICY.map(({ key, value }) => [key, value])),
    StandardOutPath: options.stdoutPath,
    StandardErrorPath: options.stderrPath,
  };
  // XML has its declaration first, whatever the house rule says: the note is the next line
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ${generatedNote('gatewarden units install launchd')} -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
${renderPlistValue(job)}
</plist>
`;
}

export function exitTimeoutSeconds(stopMs: number): number {
  return Math.min(MAX_EXIT_TIMEOUT_SECONDS, Math.ceil(stopMs / SECOND_MS));
}
