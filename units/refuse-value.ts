import { GatewardenError } from '../src/core/errors.js';

/** @throws GatewardenError unit-value-refused */
export function refuseValue(got: string, reason: string): never {
  throw new GatewardenError('unit-value-refused', { got: JSON.stringify(got), reason });
}

/** No manager, and no process, can be given a text with a zero byte. */
export function refuseNul(text: string): void {
  if (text.includes('\0')) refuseValue(text, 'a zero byte cannot be passed to a process');
}
