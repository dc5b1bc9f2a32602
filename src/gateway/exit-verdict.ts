import { EXIT } from '../core/exit-codes.js';

/** Everything that may decide with which code a gateway ends. */
export interface ExitFacts {
  /** it ends because something in it broke that nobody gave a code to */
  readonly hasFailed?: boolean;
  /** what a refusal says by itself */
  readonly stampedCode?: number | undefined;
  /** a signal that nobody had announced began the end */
  readonly endedByForeignSignal?: boolean;
  /** it wants to be started again */
  readonly restartRequested?: boolean;
}

/** Which verdict wins when several could (spec/supervision.md 1.2). Pure. */
export function verdictOf(facts: ExitFacts): number {
  if (facts.hasFailed === true) return EXIT.failure;
  if (facts.stampedCode !== undefined) return facts.stampedCode;
  if (facts.endedByForeignSignal === true && facts.restartRequested !== true) return EXIT.failure;
  return facts.restartRequested === true ? EXIT.planned : EXIT.done;
}
