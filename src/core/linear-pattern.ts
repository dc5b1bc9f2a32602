import { setFlagsFromString } from 'node:v8';

/**
 * A pattern of a stranger, compiled by the engine of V8 whose time grows with the text alone: on
 * the default one, a pattern such as `(a+)+$` and one unlucky line stop the process for hours.
 * @throws SyntaxError where the pattern is none, or asks for what linear time cannot give:
 *   look-around, back-references, counted repetitions that multiply to more than 16
 */
export function compileLinearPattern(source: string): RegExp {
  if (!isEngineOn) {
    // only allows the flag `l`; other expressions stay on their engine
    setFlagsFromString('--enable-experimental-regexp-engine');
    isEngineOn = true;
  }
  return new RegExp(source, 'l');
}

let isEngineOn = false;
