import { NO_LIMITS, type ReadService } from '../service.js';
import { type PlistValue, parsePlist } from './plist.js';

const SECOND_MS = 1000;

/** What a job says; everything is undefined for a text that is no property list. */
export function parseLaunchdJob(text: string): ReadService {
  const job = asDictionary(parsePlist(text));
  const words = job.ProgramArguments;
  const exitTimeout = job.ExitTimeOut;
  return {
    argv: Array.isArray(words) ? words.map(String) : undefined,
    env: Object.fromEntries(
      Object.entries(asDictionary(job.EnvironmentVariables)).map(([name, value]) => [
        name,
        String(value),
      ]),
    ),
    workingDirectory: asText(job.WorkingDirectory),
    envFile: undefined,
    accountName: asText(job.UserName),
    startMs: undefined,
    stopMs: typeof exitTimeout === 'number' ? exitTimeout * SECOND_MS : undefined,
    watchdogMs: undefined,
    limits: NO_LIMITS,
  };
}

function asText(value: PlistValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function asDictionary(value: PlistValue | undefined): Readonly<Record<string, PlistValue>> {
  return typeof value === 'object' && !Array.isArray(value)
    ? (value as Readonly<Record<string, PlistValue>>)
    : {};
}
