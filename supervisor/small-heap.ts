import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the young generation of V8's heap at its first size. It doubles up to 32 MB under short
 * bursts of garbage, such as looking through /proc, and hardly ever shrinks again; a supervisor
 * has little that is young, and its memory is what every host pays. Must come before the burst.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
