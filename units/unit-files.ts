import { join } from 'node:path';
import { type GeneratedFile, PLAIN_MODE } from './generated-file.js';
import { slotLogDirectory } from './home-files.js';
import { renderPlist } from './launchd/render.js';
import type { Manager, Scope } from './managers.js';
import { launchdLabel, s6SlotName, systemdUnitName } from './names.js';
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

/**
 * What stands in the manager's folder for a service.
 * @throws GatewardenError unit-value-refused
 */
export function renderEntry(service: Service, options: UnitOptions): UnitEntry {
  const named = { ...options, subject: service.subject, home: service.home };
  switch (options.manager) {
    case 'systemd': {
      const name = systemdUnitName(named);
      const text = renderSystemdUnit(service, options.scope);
      return { name, files: [{ path: name, text, mode: PLAIN_MODE }] };
    }
    case 's6': {
      const name = s6SlotName(service.subject);
      const files = renderS6Slot(service, {
        logDirectory: slotLogDirectory(service.home, name),
        shell: options.shell,
      });
      return { name, files: files.map((file) => ({ ...file, path: join(name, file.path) })) };
    }
    case 'launchd': {
      const name = launchdLabel(named);
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
