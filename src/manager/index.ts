export { EXTENSION_TIMES, type ExtensionTimes, keepExtending } from './extension.js';
export { ALWAYS_ON_TIME, feedWatchdog, type OnTime, whyWithheld } from './feed.js';
export { type ManagerKind, managerOf } from './identify.js';
export { closeInherited } from './inherited.js';
export type { ManagerNews } from './news.js';
export { encodeForSystemd, toStatusLine } from './news.js';
export { type ManagerVoice, notifyFd, openVoice, watchdogMsOf } from './voice.js';
