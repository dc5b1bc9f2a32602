import type { LoadedProfile } from '../../src/config/model.js';
import type { ProfileState } from '../../src/core/lifecycle.js';
import type { Desired } from '../../src/core/status.js';
import type { ProfileListeners } from '../listeners/profile-listeners.js';
import type { DeathLog } from './death-log.js';
import type { GenerationRun } from './generation-run.js';
import type { Parked } from './parked.js';
import type { NextAction } from './wait.js';

/** What others may know of a profile right now. */
export interface ProfileView {
  readonly name: string;
  readonly loaded: LoadedProfile;
  readonly desired: Desired;
  readonly state: ProfileState;
  readonly since: number;
  readonly generation: number;
  readonly run: GenerationRun | undefined;
  readonly next: NextAction | undefined;
  readonly parked: Parked | undefined;
  readonly storm: boolean;
  readonly degradedBecause: string | undefined;
  /** how long the last successful start took */
  readonly lastStartMs: number | undefined;
  readonly deaths: DeathLog;
  readonly listeners: ProfileListeners;
}
