import { DEFAULTS } from '../defaults.js';
import * as leaf from './leaves.js';

const MIN_SECONDS = 0.001;

/** Also the shape of `supervisor.restart`. */
export function restartSchema() {
  const { restart } = DEFAULTS;
  return leaf.section(
    {
      backoff_base_seconds: leaf.seconds(
        { about: 'first wait; doubles with each death', byDefault: restart.backoff_base_seconds },
        MIN_SECONDS,
      ),
      backoff_cap_seconds: leaf.seconds(
        { about: 'longest wait', byDefault: restart.backoff_cap_seconds },
        MIN_SECONDS,
      ),
      jitter: leaf.decimal(
        { about: 'random share of a wait, 0.2 = ±20 %', byDefault: restart.jitter },
        { min: 0, max: 1 },
      ),
      healthy_after_seconds: leaf.seconds({
        about: 'ready for this long: earlier deaths are forgotten',
        byDefault: restart.healthy_after_seconds,
      }),
      planned_max: leaf.count(
        {
          about: 'planned restarts within their window that are free',
          byDefault: restart.planned_max,
        },
        { min: 0 },
      ),
      planned_window_seconds: leaf.seconds(
        { about: 'window of planned_max', byDefault: restart.planned_window_seconds },
        MIN_SECONDS,
      ),
      max_restarts: leaf.count(
        {
          about: 'deaths within window_seconds after which it is parked; 0 = unlimited',
          byDefault: restart.max_restarts,
        },
        { min: 0 },
      ),
      window_seconds: leaf.seconds({
        about: 'window of max_restarts',
        byDefault: restart.window_seconds,
      }),
      probe_every_seconds: leaf.seconds(
        {
          about: 'how often a profile parked as crash-loop gets one try',
          byDefault: restart.probe_every_seconds,
        },
        MIN_SECONDS,
      ),
    },
    { about: 'when a dead gateway is started again' },
  );
}
