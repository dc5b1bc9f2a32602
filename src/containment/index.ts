export { findOwnPlaces } from './cgroup/own-place.js';
export { findOwnUnit, killMembers, membersOfUnit, type OwnUnit } from './cgroup/own-unit.js';
export { type ContainmentFacts, chooseContainment, inheritContainment } from './choose.js';
export { type GaugeFacts, type GaugeReading, judgeReadings, LeakGauge } from './leak-gauge.js';
export type {
  AdoptedProcess,
  Containment,
  ContainmentPlace,
  Ending,
  EndingTimes,
  LaunchRequest,
  LimitReach,
  LimitSupport,
  Rung,
  Scope,
  ScopeLimits,
  ScopeMember,
  ScopeOptions,
  Usage,
} from './port.js';
export { NO_LIMITS, RUNGS, UNKNOWN_USAGE } from './port.js';
export { type Membership, pickMembers, type Root } from './processes/members.js';
export { readScope, readStat, scanProcesses } from './processes/proc-scan.js';
export { rootOf } from './processes/root-of.js';
export { endMembers, findMembers } from './session/session-tree.js';
