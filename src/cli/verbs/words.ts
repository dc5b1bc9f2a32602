import type { StarterDriver } from '../../config/index.js';
import type { ArgumentSpec, OptionSpec } from '../verb.js';

/** Arguments and options that several verbs share, word for word. */

export const JSON_OPTION: OptionSpec = {
  long: 'json',
  summary: 'print JSON for programs instead of text for people',
};

export const DRIVER_OPTION: OptionSpec = {
  long: 'driver',
  value: 'DRIVER',
  choices: ['echo', 'openai', 'command'] satisfies readonly StarterDriver[],
  summary: 'what answers: echo, openai or command (default: echo)',
};

export const PORT_OPTION: OptionSpec = {
  long: 'port',
  value: 'PORT',
  kind: 'port',
  summary: 'port of its API server on 127.0.0.1 (default: the first free one from 8642)',
};

export const SINCE_OPTION: OptionSpec = {
  long: 'since',
  value: 'TIME',
  kind: 'since',
  summary: 'only what is newer: a duration such as 2h or 1d, or an ISO 8601 time',
};

export const ONE_PROFILE: ArgumentSpec = {
  name: 'NAME',
  required: true,
  variadic: false,
  complete: 'profile',
  summary: 'a profile',
};

export const MAYBE_PROFILE: ArgumentSpec = {
  name: 'NAME',
  required: false,
  variadic: false,
  complete: 'profile',
  summary: 'a profile',
};

export const PROFILES: ArgumentSpec = {
  name: 'NAME',
  required: false,
  variadic: true,
  complete: 'profile',
  summary: 'profiles',
};

export const NEW_PROFILE: ArgumentSpec = { ...ONE_PROFILE, complete: 'nothing' };

/** Accepted everywhere, before and after the verb. */
export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  {
    long: 'home',
    value: 'DIR',
    summary: 'the home to work on (default: $GATEWARDEN_HOME or ~/.gatewarden)',
  },
  {
    long: 'profile',
    short: 'p',
    value: 'NAME',
    summary: 'the profile that is meant, where a verb works on one',
  },
  { long: 'quiet', short: 'q', summary: 'no notices on stderr, only results and errors' },
  { long: 'verbose', short: 'v', summary: 'more notices on stderr' },
  { long: 'no-color', summary: 'no colours (as the environment variable NO_COLOR)' },
  { long: 'help', short: 'h', summary: 'what the verb does and takes' },
];
