import type { Death } from '../src/core/death.js';
import { EXIT } from '../src/core/exit-codes.js';

/**
 * From best to worst: what the supervisor itself ends with when it stands for its profiles
 * (`--once`, `essential`). A killed gateway is a failure of its supervisor's task; no signal
 * becomes a number of its own.
 */
const WORSE = [EXIT.done, EXIT.planned, EXIT.failure, EXIT.bug, EXIT.usage, EXIT.config] as const;
export type FinalCode = (typeof WORSE)[number];

/** What a supervisor answers for one gateway's last death. */
export function finalCodeOf(death: Death): FinalCode {
  switch (death.cause) {
    case 'asked':
    case 'planned':
      return EXIT.done;
    case 'config':
      return EXIT.config;
    case 'usage':
      return EXIT.usage;
    case 'bug':
      return EXIT.bug;
    case 'failure':
    case 'stall':
    case 'oom':
    case 'start-timeout':
    case 'lost':
      return EXIT.failure;
    default:
      return death.cause satisfies never;
  }
}

export function worstOf(codes: readonly FinalCode[]): FinalCode {
  return codes.reduce<FinalCode>(
    (worst, code) => (WORSE.indexOf(code) > WORSE.indexOf(worst) ? code : worst),
    EXIT.done,
  );
}
