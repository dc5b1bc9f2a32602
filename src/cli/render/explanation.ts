import type { KeyExplanation } from '../../config/index.js';
import { wrapText } from './wrap.js';

/** A configuration key for people: what it means, takes and defaults to. */
export function renderExplanation(explanation: KeyExplanation, columns: number): string {
  const { byDefault, description, drivers, example, file, key, type } = explanation;
  const rows: readonly (readonly [string, string])[] = [
    ['file', file === 'host' ? 'config.yaml' : 'profiles/NAME/config.yaml'],
    ['takes', type],
    ['default', byDefault === undefined ? 'none' : shown(byDefault)],
    ['example', example === undefined ? '' : shown(example)],
    ['only with', drivers.length === 0 ? '' : `driver ${drivers.join(' or ')}`],
  ];
  return [
    key,
    ...wrapText(description, columns, '  '),
    ...rows.filter(([, text]) => text !== '').map(([name, text]) => `  ${name.padEnd(9)}  ${text}`),
  ].join('\n');
}

function shown(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}
