import { parseSystemdDuration } from '../../src/core/systemd-duration.js';
import type { ReadService, ServiceLimits } from '../service.js';
import { parseWords, unescapePathLine, unescapePatternLine } from './escape.js';
import { lastValue, parseUnitFile, type Setting } from './unit-file.js';

/** What a unit says, ours or one that somebody edited. */
export function parseSystemdUnit(text: string): ReadService {
  const settings = parseUnitFile(text);
  const last = (key: string) => lastValue(settings, key);
  const start = last('ExecStart');
  const directory = last('WorkingDirectory');
  const envFile = last('EnvironmentFile');
  const duration = (key: string) => {
    const value = last(key);
    return value === undefined ? undefined : parseSystemdDuration(value);
  };
  return {
    argv: start === undefined ? undefined : parseWords(start, { variables: true }),
    env: environmentOf(settings),
    workingDirectory: directory === undefined ? undefined : unescapePathLine(directory),
    envFile: envFile === undefined ? undefined : unescapePatternLine(envFile.replace(/^-/, '')),
    accountName: last('User'),
    startMs: duration('TimeoutStartSec'),
    stopMs: duration('TimeoutStopSec'),
    watchdogMs: duration('WatchdogSec'),
    limits: limitsOf(settings),
  };
}

/** An empty Environment= forgets the ones before it. */
function environmentOf(settings: readonly Setting[]): Record<string, string> {
  let env: Record<string, string> = {};
  for (const { key, value } of settings) {
    if (key !== 'Environment') continue;
    if (value === '') env = {};
    for (const word of parseWords(value, { variables: false })) {
      const at = word.indexOf('=');
      if (at > 0) env[word.slice(0, at)] = word.slice(at + 1);
    }
  }
  return env;
}

const PERCENT_PER_CORE = 100;

function limitsOf(settings: readonly Setting[]): ServiceLimits {
  const number = (key: string) => {
    const value = Number.parseInt(lastValue(settings, key) ?? '', 10);
    return Number.isNaN(value) ? undefined : value;
  };
  const percent = number('CPUQuota');
  return {
    memoryBytes: number('MemoryMax'),
    processes: number('TasksMax'),
    cpus: percent === undefined ? undefined : percent / PERCENT_PER_CORE,
  };
}
