import { DEFAULTS } from '../defaults.js';
import * as leaf from './leaves.js';

const MIN_SECONDS = 0.001;

export function watchdogSchema() {
  const { watchdog } = DEFAULTS;
  return leaf.section(
    {
      warn_only: leaf.flag({
        about: 'keep evidence of a loop that stands still, but never end the gateway for it',
        byDefault: watchdog.warn_only,
      }),
      check_seconds: leaf.seconds(
        {
          about: 'how often the loop has to move, and how often that is looked at',
          byDefault: watchdog.check_seconds,
        },
        MIN_SECONDS,
      ),
      warn_seconds: leaf.seconds(
        {
          about:
            'a loop that is this late is written down, and the profile is degraded; not less than check_seconds',
          byDefault: watchdog.warn_seconds,
        },
        MIN_SECONDS,
      ),
      strike_seconds: leaf.seconds(
        {
          about:
            'a loop that stands still gets one strike for each of these; not less than check_seconds',
          byDefault: watchdog.strike_seconds,
        },
        MIN_SECONDS,
      ),
      strikes: leaf.count(
        {
          about: 'strikes at which the gateway is ended; 2 s or more in all',
          byDefault: watchdog.strikes,
        },
        { min: 1, max: 1000 },
      ),
      beat_seconds: leaf.seconds(
        {
          about: 'how often the watchdog of a gateway tells the supervisor that it lives',
          byDefault: watchdog.beat_seconds,
        },
        MIN_SECONDS,
      ),
      silence_seconds: leaf.seconds(
        {
          about:
            'a gateway whose watchdog is silent for this long is ended; at least twice beat_seconds and check_seconds together, and 5',
          byDefault: watchdog.silence_seconds,
        },
        MIN_SECONDS,
      ),
      prove_seconds: leaf.seconds(
        {
          about: 'how often each platform has to prove that it answers',
          byDefault: watchdog.prove_seconds,
        },
        MIN_SECONDS,
      ),
      proven_within_seconds: leaf.seconds(
        {
          about:
            'a part whose last proof is older is reported and opened again; more than prove_seconds',
          byDefault: watchdog.proven_within_seconds,
        },
        MIN_SECONDS,
      ),
    },
    { about: 'how a gateway that hangs is noticed' },
  );
}
