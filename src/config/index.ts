/** The public door of the configuration: everything else in this folder is its own business. */
export { addressesCollide, isLoopback, parseAddress, renderAddress } from './addresses.js';
export { type AssignmentFacts, buildAssignment, ownedIdentities } from './assignment.js';
export {
  budgetSettings,
  hostBudgets,
  processBudgets,
  profileBudgets,
} from './budgets.js';
export { childEnvironment, namesToUnset } from './child-environment.js';
export { DEFAULTS } from './defaults.js';
export { checkConfig, checkNotices, loadConfig } from './load.js';
export type {
  AgentConfig,
  CommandProgram,
  ConfigProblem,
  HostConfig,
  LoadedConfig,
  LoadedProfile,
  ProfileConfig,
  ProfileLimits,
  Readiness,
} from './model.js';
export { placeGateways, withPlaceOf } from './multiplex.js';
export {
  controlSocketPath,
  type Environment,
  type HomeLayout,
  homeHash,
  homeLayout,
  localSocketPath,
  type ProfileLayout,
  profileLayout,
  resolveHome,
  runtimeDirCandidates,
} from './paths.js';
export { isPortFree } from './ports.js';
export { countProblems, renderProblems } from './problems.js';
export {
  type ConfigFileKind,
  configJsonSchema,
  explainKey,
  type KeyExplanation,
  knownKeys,
} from './reference.js';
export {
  addProfile,
  type StarterFile,
  type StarterOptions,
  starterFiles,
  writeStarterHome,
} from './starter.js';
export { STARTER_DRIVERS, type StarterDriver } from './starter-texts.js';
