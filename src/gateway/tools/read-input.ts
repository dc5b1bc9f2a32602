import { ToolRefusal } from '../processes/refusal.js';
import type { ToolInput } from './port.js';

/** Readers of what a model sent; each tells the model what would have been right. */

/** @throws ToolRefusal for a name that the tool does not have */
export function checkNames(input: ToolInput, known: readonly string[]): void {
  const unknown = Object.keys(input).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new ToolRefusal(`expected only ${known.join(', ')}, got ${unknown.join(', ')}`);
}

export function readText(input: ToolInput, name: string): string {
  const value = readOptionalText(input, name);
  if (value !== undefined && value.trim() !== '') return value;
  throw new ToolRefusal(`expected ${name} as text that is not empty`);
}

export function readOptionalText(input: ToolInput, name: string): string | undefined {
  const value = input[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new ToolRefusal(`expected ${name} as text`);
  if (value.includes('\0')) throw new ToolRefusal(`expected ${name} without NUL characters`);
  return value;
}

export function readFlag(input: ToolInput, name: string, byDefault = false): boolean {
  const value = input[name];
  if (value === undefined || value === null) return byDefault;
  if (typeof value === 'boolean') return value;
  throw new ToolRefusal(`expected ${name} as true or false`);
}

export interface NumberRange {
  readonly min: number;
  readonly max: number;
}

export function readNumber(
  input: ToolInput,
  name: string,
  { min, max }: NumberRange,
): number | undefined {
  const value = input[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && value >= min && value <= max) return value;
  throw new ToolRefusal(`expected ${name} as a number from ${min} to ${max}`);
}

export function readTexts(
  input: ToolInput,
  name: string,
  limits: { readonly items: number; readonly chars: number },
): readonly string[] {
  const value = input[name];
  if (value === undefined || value === null) return [];
  const isList =
    Array.isArray(value) &&
    value.length <= limits.items &&
    value.every((one) => typeof one === 'string' && one !== '' && one.length <= limits.chars);
  if (isList) return value as readonly string[];
  throw new ToolRefusal(
    `expected ${name} as a list of at most ${limits.items} texts of 1 to ${limits.chars} characters`,
  );
}
