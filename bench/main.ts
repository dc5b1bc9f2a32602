/*
 * Started by a person with `npm run bench`, in a built clone, on a machine that does little else.
 * Measures the figures that the supervisor promises, side by side in one run, and prints where
 * each stands. It ends with 0 also when a figure falls short: it reports, it does not judge.
 */
import { availableParallelism } from 'node:os';
import { measureChildren } from './children.js';
import { measureContainment } from './containment.js';
import { measureMultiplex } from './multiplex.js';
import { measurePressure } from './pressure.js';
import { measureReady } from './ready.js';
import { type Figure, renderFigures } from './report.js';
import { measureStatus } from './status.js';
import { measureTurns } from './turns.js';

const MEASUREMENTS: readonly (readonly [string, () => Promise<Figure | readonly Figure[]>])[] = [
  ['up → ready', measureReady],
  ['children', measureChildren],
  ['status', measureStatus],
  ['containment', measureContainment],
  ['multiplex', measureMultiplex],
  ['turns with processes', measureTurns],
  // last: five minutes in which nothing else can be measured
  ['pressure', measurePressure],
];

/** `npm run bench -- status children`: only these; the ten thousand turns take ten minutes. */
const wanted = process.argv.slice(2);

const figures: Figure[] = [];
for (const [name, measure] of MEASUREMENTS) {
  if (wanted.length > 0 && !wanted.some((word) => name.includes(word))) continue;
  console.error(`measuring: ${name}`);
  try {
    figures.push(...[await measure()].flat());
  } catch (error) {
    const from = error instanceof Error ? error.message : String(error);
    figures.push({ what: name, wanted: '', got: 'no figure', isMet: false, from });
  }
}
console.log(`Node ${process.versions.node}, ${availableParallelism()} cores\n`);
console.log(renderFigures(figures));
