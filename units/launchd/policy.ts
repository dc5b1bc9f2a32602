import type { PlistValue } from './plist.js';

export interface LaunchdPolicyLine {
  readonly key: string;
  readonly value: PlistValue;
  readonly because: string;
}

export const LAUNCHD_POLICY: readonly LaunchdPolicyLine[] = Object.freeze([
  { key: 'RunAtLoad', value: true, because: 'it starts at login and when it is loaded' },
  {
    key: 'KeepAlive',
    value: true,
    because:
      'launchd knows no permanent exit code, so it always starts again: our verbs refuse first',
  },
  { key: 'ThrottleInterval', value: 30, because: 'a refusal that loops costs two starts a minute' },
  {
    key: 'ProcessType',
    value: 'Interactive',
    because: 'a background service is throttled in processor and disk',
  },
  {
    key: 'LimitLoadToSessionType',
    value: ['Aqua', 'Background'],
    because: 'with and without somebody at the screen',
  },
  { key: 'AbandonProcessGroup', value: false, because: 'what is left of the group ends with it' },
]);

/** launchd gives no more than this in a graphical session, whatever is asked for. */
export const MAX_EXIT_TIMEOUT_SECONDS = 60;
