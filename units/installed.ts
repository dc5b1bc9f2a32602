import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseLaunchdJob } from './launchd/parse.js';
import type { Manager } from './managers.js';
import { parseS6Slot } from './s6/parse.js';
import { homeOf, type ReadService } from './service.js';
import { parseSystemdUnit } from './systemd/parse.js';

/** A unit, slot or job of ours that stands in a manager's folder. */
export interface InstalledUnit {
  readonly name: string;
  /** the file, or the folder of a slot */
  readonly path: string;
  readonly service: ReadService;
  /** whose it is; undefined: it does not say */
  readonly home: string | undefined;
}

const NAMES: Readonly<Record<Manager, RegExp>> = {
  systemd: /^gatewarden(-[\w-]+)?\.service$/,
  s6: /^(gatewarden|gateway-[\w-]+)$/,
  launchd: /^dev\.gatewarden\.[\w-]+\.plist$/,
};

/** Whatever can be read of ours; a folder that is not there holds nothing. */
export function readInstalled(manager: Manager, folder: string): readonly InstalledUnit[] {
  return entriesOf(folder)
    .filter(({ name }) => NAMES[manager].test(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      const service = readUnit(manager, path, entry);
      const name = manager === 'launchd' ? entry.name.replace(/\.plist$/, '') : entry.name;
      return service === undefined ? [] : [{ name, path, service, home: homeOf(service) }];
    });
}

function readUnit(manager: Manager, path: string, entry: Dirent): ReadService | undefined {
  switch (manager) {
    case 'systemd': {
      const text = readText(path);
      return text === undefined ? undefined : parseSystemdUnit(text);
    }
    case 's6': {
      if (!entry.isDirectory()) return undefined;
      const files = ['run', 'timeout-kill'].flatMap((name) => {
        const text = readText(join(path, name));
        return text === undefined ? [] : [{ path: name, text, mode: 0 }];
      });
      return parseS6Slot(files);
    }
    case 'launchd': {
      const text = readText(path);
      return text === undefined ? undefined : parseLaunchdJob(text);
    }
    default:
      return manager satisfies never;
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
