/** A unit as systemd reads it: settings in their order, comments and empty lines dropped. */
export interface Setting {
  readonly section: string;
  readonly key: string;
  readonly value: string;
}

export function parseUnitFile(text: string): readonly Setting[] {
  const settings: Setting[] = [];
  let section = '';
  for (const line of logicalLines(text)) {
    const header = /^\[(.+)\]$/.exec(line)?.[1];
    if (header !== undefined) {
      section = header;
      continue;
    }
    const at = line.indexOf('=');
    if (at === -1) continue;
    settings.push({ section, key: line.slice(0, at).trim(), value: line.slice(at + 1).trim() });
  }
  return settings;
}

/** The value that counts where the last one wins. */
export function lastValue(settings: readonly Setting[], key: string): string | undefined {
  return settings.findLast((setting) => setting.key === key)?.value;
}

/** A backslash at the end goes on in the next line; a comment in between does not end that. */
function logicalLines(text: string): readonly string[] {
  const lines: string[] = [];
  let open = '';
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (line.startsWith('#') || line.startsWith(';')) continue;
    if (line.endsWith('\\')) {
      open += `${line.slice(0, -1)} `;
      continue;
    }
    if (open + line !== '') lines.push(open + line);
    open = '';
  }
  if (open !== '') lines.push(open.trimEnd());
  return lines;
}
