import { join } from 'node:path';
import { type GeneratedFile, PLAIN_MODE } from './generated-file.js';
import { slotLogDirectory } from './home-files.js';
import { renderPlist } from './launchd/render.js';
import type { Manager, Scope } from './managers.js';
import { launchdLabel, type NamedService, s6SlotName, systemdUnitName } from './names.js';
import { renderS6Slot, type S6Shell } from './s6/render.js';
import type { Service } from './service.js';
import { renderSystemdUnit } from './systemd/render.js';

/** One installed thing: a unit, a slot (a folder of files) or a job. */
export interface UnitEntry {
  /** as the manager calls it */
  readonly name: string;
  /** below the manager's folder */
  readonly files: readonly GeneratedFile[];
}

export interface UnitOptions {
  readonly manager: Manager;
  readonly scope: Scope;
  /** the home that owns the names without a hash */
  readonly usualHome: string;
  readonly shell: S6Shell;
}

/** What a manager calls a service. */
export function entryName(service: NamedService & { readonly manager: Manager }): string {
  switch (service.manager) {
    case 'systemd':
      return systemdUnitName(service);
    case 's6':
      return s6SlotName(service.subject);
    case 'launchd':
      return launchdLabel(service);
    default:
      return service.manager satisfies never;
  }
}

/**
 * What stands in the manager's folder for a service.
 * @throws GatewardenError unit-value-refused
 */
export function renderEntry(service: Service, options: UnitOptions): UnitEntry {
  const named = { ...options, subject: service.subject, home: service.home };
  const name = entryName(named);
  switch (options.manager) {
    case 'systemd': {
      const text = renderSystemdUnit(service, options.scope);
      return { name, files: [{ path: name, text, mode: PLAIN_MODE }] };
    }
    case 's6': {
      const files = renderS6Slot(service, {
        logDirectory: slotLogDirectory(service.home, name),
        shell: options.shell,
      });
      return { name, files: files.map((file) => ({ ...file, path: join(name, file.path) })) };
    }
    case 'launchd': {
      const logs = join(service.home, 'logs', '_launchd');
      const text = renderPlist(service, {
        named,
        stdoutPath: join(logs, `${name}.log`),
        stderrPath: join(logs, `${name}.error.log`),
      });
      return { name, files: [{ path: `${name}.plist`, text, mode: PLAIN_MODE }] };
    }
    default:
      return options.manager satisfies never;
  }
}
