import { Secret } from '../core/secret.js';

/** Freezes a value and everything in it; a Map keeps its readers and loses its writers. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (value instanceof Secret) return Object.freeze(value);
  if (value instanceof Map) freezeMap(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}

function freezeMap(map: Map<unknown, unknown>): void {
  for (const inner of map.values()) deepFreeze(inner);
  const refuse = () => {
    throw new TypeError('a loaded configuration cannot be changed');
  };
  for (const writer of ['set', 'delete', 'clear']) {
    Object.defineProperty(map, writer, { value: refuse });
  }
}
