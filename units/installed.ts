import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GeneratedFile, hasGeneratedNote } from './generated-file.js';
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
  return (
    entriesOf(folder)
      // a link in a scan directory is a service of s6-rc
      .filter((entry) => NAMES[manager].test(entry.name) && isUnit(manager, entry))
      .flatMap((entry) => {
        const path = join(folder, entry.name);
        const read = readUnit(manager, path);
        const name = manager === 'launchd' ? entry.name.replace(/\.plist$/, '') : entry.name;
        return read === undefined ? [] : [{ name, path, service: read.service, home: read.home }];
      })
  );
}

function isUnit(manager: Manager, entry: Dirent): boolean {
  return manager === 's6' ? entry.isDirectory() : true;
}

/** What a unit says, and the texts that say it. */
export interface ReadUnit {
  readonly texts: readonly string[];
  readonly service: ReadService;
  readonly home: string | undefined;
}

/** @param path the file, or the folder of a slot; undefined: nothing in it can be read */
export function readUnit(manager: Manager, path: string): ReadUnit | undefined {
  const files = (manager === 's6' ? SLOT_TEXTS.map((name) => join(path, name)) : [path]).flatMap(
    (file) => {
      const text = readText(file);
      return text === undefined ? [] : [{ path: file.slice(path.length + 1), text, mode: 0 }];
    },
  );
  if (files.length === 0 && manager !== 's6') return undefined;
  const service = parseUnit(manager, files);
  const texts = files.map(({ text }) => text);
  return { texts, service, home: homeOf(service, texts.some(hasGeneratedNote)) };
}

/** Those of a slot in which our first line can stand, and its budget. */
const SLOT_TEXTS = ['run', 'finish', 'log/run', 'timeout-kill'];

function parseUnit(manager: Manager, files: readonly GeneratedFile[]): ReadService {
  const text = files[0]?.text ?? '';
  switch (manager) {
    case 'systemd':
      return parseSystemdUnit(text);
    case 's6':
      return parseS6Slot(files);
    case 'launchd':
      return parseLaunchdJob(text);
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
