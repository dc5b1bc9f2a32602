import type { Scope } from '../../src/containment/index.js';
import type { Death } from '../../src/core/death.js';
import type { SupervisorEvent } from '../../src/core/events.js';
import type { RestartPolicy } from '../../src/core/judge.js';
import type { KeptEvidence } from '../../src/core/watch.js';
import type { OutputStream } from '../generation/generation.js';
import type { GenerationRun } from './generation-run.js';
import type { Profile } from './profile.js';
import type { ProfileView } from './profile-view.js';
import type { GoodProfile, RunListener } from './run-contract.js';
import type { SlotSource } from './start-slots.js';

/** What a profile needs from the supervisor around it. */
export interface ProfilePort {
  slotsFor(profile: string): SlotSource;
  /** `up --once`: nothing is started a second time */
  readonly once: boolean;
  /** for a profile whose own configuration cannot be read */
  readonly restartPolicy: RestartPolicy;
  random(): number;
  record(event: SupervisorEvent): void;
  clearDeaths(profile: string): void;
  /** starts the next generation; `profile.generation` is already its number */
  spawn(profile: ProfileView, loaded: GoodProfile, listener: RunListener): GenerationRun;
  /** a planned restart began: the next worker may boot while the old one drains */
  expectSuccessor(profile: Profile): void;
  restartWanted(profile: Profile, detail: string): void;
  /** fingerprint of the profile's inputs as they are on disk now */
  fingerprintNow(profile: string): string;
  line(profile: string, stream: OutputStream, text: string): void;
  protocolBroken(profile: string, code: string): void;
  storm(profile: Profile, policy: RestartPolicy): void;
  /** a watchdog has written something down */
  evidence(profile: string, kept: KeptEvidence): void;
  buried(profile: Profile, death: Death): void;
  /** processes that nothing could end: they are somebody else's care from now on */
  survived(profile: string, scope: Scope, pids: readonly number[]): void;
  changed(profile: Profile): void;
}
