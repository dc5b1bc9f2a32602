import { fileURLToPath } from 'node:url';
import type { StackFrame } from './native-stack.js';

/** What is known of where a thread is. */
export type Place =
  | { readonly kind: 'frames'; readonly frames: readonly StackFrame[] }
  /** it was in the middle of nothing: its own tick is what was met */
  | { readonly kind: 'idle' }
  /** no JavaScript ran that could be asked: a call of the system, an addon */
  | { readonly kind: 'native'; readonly waitsIn: string | undefined }
  | { readonly kind: 'unknown'; readonly because: string };

/** The frame an operator wants to know: the innermost that is not a part of Node. */
export function blamedFrame(frames: readonly StackFrame[]): StackFrame | undefined {
  return frames.find(({ filename }) => !filename.startsWith('node:')) ?? frames[0];
}

/** One clause: `blocked in handle (/srv/tool.js:12:3)`. */
export function describePlace(place: Place): string {
  switch (place.kind) {
    case 'frames': {
      const frame = blamedFrame(place.frames);
      return frame === undefined ? 'blocked' : `blocked in ${describeFrame(frame)}`;
    }
    case 'idle':
      return 'its loop was waiting for something to happen';
    case 'native':
      return place.waitsIn === undefined
        ? 'blocked outside of JavaScript'
        : `blocked outside of JavaScript, in the kernel's ${place.waitsIn}`;
    case 'unknown':
      return `where is not known: ${place.because}`;
    default:
      return place satisfies never;
  }
}

/** `handle (/srv/tool.js:12:3)`, as a stack trace writes it. */
export function describeFrame({ function: name, filename, lineno, colno }: StackFrame): string {
  const where = `${pathOf(filename)}:${lineno}:${colno}`;
  return name === '?' ? where : `${name} (${where})`;
}

function pathOf(filename: string): string {
  if (filename === '') return 'a script without a name';
  return filename.startsWith('file://') ? fileURLToPath(filename) : filename;
}
