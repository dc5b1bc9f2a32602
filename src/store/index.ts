export { ensureDirectory } from './directory.js';
export type { HistoryQuery } from './history-query.js';
export { readJsonFile, removeHalfWritten, writeHintFile, writeJsonFile } from './json-file.js';
export { Ledger, type LedgerOptions, readEarlierLife, readLife } from './ledger/ledger.js';
export type { EarlierLife, LedgerRecord } from './ledger/record.js';
export { acquireLock, type HeldLock, type LockOutcome } from './lock.js';
export { ownerPath, readOwner } from './lock-owner.js';
export { here, livenessOfOwner, ownOwner, ownPlace } from './place.js';
export {
  ancestorsOf,
  bootId,
  identityOf,
  isAlive,
  type Liveness,
  listPids,
  livenessOf,
  type ProcessStat,
  readEnviron,
  readStat,
} from './process-table.js';
export { readRegularFile } from './regular-file.js';
export {
  readCounters,
  readDeaths,
  readDesired,
  readHistory,
  readStoredState,
} from './supervisor-reader.js';
export type {
  CauseCounters,
  DesiredRecord,
  OpenGeneration,
  StoredState,
} from './supervisor-state.js';
export {
  openSupervisorStore,
  type StoreOptions,
  type SupervisorStore,
} from './supervisor-store.js';
