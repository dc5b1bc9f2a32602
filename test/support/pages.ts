import { readSource } from './sources.js';

/** First cells of a page's tables where they are code: what the page says exists. */
export function codesOn(page: string): string[] {
  return [...readSource(page).matchAll(/^\| `([^`]+)` +\|/gm)].map((match) => match[1] ?? '');
}

/** Rows of a page's tables, with their blanks evened out. */
export function rowsOn(page: string): string[] {
  return readSource(page)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => tableRow(line.slice(1, line.lastIndexOf('|')).split(/(?<!\\)\|/)));
}

export function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.trim().replace(/\s+/g, ' ')).join(' | ')} |`;
}
