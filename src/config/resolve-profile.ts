import { resolve } from 'node:path';
import type { Account } from '../core/account.js';
import { secondsToMs } from '../core/durations.js';
import type { RestartPolicy } from '../core/judge.js';
import { Secret } from '../core/secret.js';
import { DEFAULT_WATCH_POLICY, type WatchPolicy } from '../core/watch.js';
import { DEFAULTS } from './defaults.js';
import type { AgentConfig, CommandProgram, ProfileConfig, Readiness } from './model.js';
import type { HostFile } from './schema/host.js';
import type { ProfileFile, RestartFile } from './schema/profile.js';
import { sizeToBytes } from './sizes.js';
import { type Mapping, mappingAt } from './tree.js';

export interface ProfileFacts {
  readonly name: string;
  readonly directory: string;
  readonly storm: StormFile | undefined;
  /** every text that came from `${NAME}` */
  readonly revealed: ReadonlySet<string>;
  /** the file's tree, which knows what each `env` value was written as */
  readonly tree: Mapping;
  /** whom `user:` means, when that is not who starts it */
  readonly account: Account | undefined;
}

export type StormFile = NonNullable<HostFile['supervisor']>['storm'];

/** A profile's settings in milliseconds and bytes, with every default filled in. */
export function resolveProfile(file: ProfileFile, facts: ProfileFacts): ProfileConfig {
  const command = file.command === undefined ? undefined : resolveProgram(file, facts.directory);
  const agent = resolveAgent(file.agent, facts.directory);
  const api = command === undefined ? resolveApi(file, facts.name) : undefined;
  const local = file.platforms?.local?.enabled ?? DEFAULTS.platforms.local.enabled;
  return {
    name: facts.name,
    enabled: file.enabled ?? DEFAULTS.enabled,
    essential: file.essential ?? DEFAULTS.essential,
    command,
    agent,
    platforms: {
      apiServer: api?.apiServer,
      servedApi: api?.servedApi,
      local: command === undefined && local,
    },
    limits: {
      memoryBytes: bytesOf(file.limits?.memory),
      toolMemoryBytes: bytesOf(file.limits?.tool_memory),
      processes: file.limits?.processes,
      cpus: file.limits?.cpu,
    },
    restart: resolveRestart(file.restart, facts.storm),
    ...resolveWaits(file),
    inactivity: resolveInactivity(file.turns),
    resumeFreshnessMs: secondsToMs({ ...DEFAULTS.resume, ...file.resume }.freshness_seconds),
    lifecycleNotices: resolveNotices(file.platforms),
    watchdog: resolveWatchdog(file.watchdog),
    user: file.user,
    account: facts.account,
    env: resolveEnv(facts.tree),
    owns: resolveOwns(file.owns),
    secrets: resolveSecrets(agent, api?.servedApi.key, [
      ...facts.revealed,
      ...Object.values(file.owns ?? {}),
    ]),
  };
}

function resolveWaits(file: ProfileFile) {
  return {
    drainMs: secondsToMs(file.drain_seconds ?? DEFAULTS.drain_seconds),
    jobsDrainMs: secondsToMs(file.jobs_drain_seconds ?? DEFAULTS.jobs_drain_seconds),
    afterTurnMs: secondsToMs(file.after_turn_seconds ?? DEFAULTS.after_turn_seconds),
    interruptGraceMs: secondsToMs(file.interrupt_grace_seconds ?? DEFAULTS.interrupt_grace_seconds),
  };
}

function bytesOf(size: string | undefined): number | undefined {
  return size === undefined ? undefined : sizeToBytes(size);
}

function resolveProgram(file: ProfileFile, directory: string): CommandProgram {
  return {
    // the schema refuses an empty list
    argv: file.command as [string, ...string[]],
    cwd: resolve(directory, file.cwd ?? '.'),
    ready: resolveReadiness(file.ready ?? DEFAULTS.ready),
  };
}

function resolveReadiness(ready: NonNullable<ProfileFile['ready']>): Readiness {
  if (typeof ready === 'string') return { kind: ready };
  if (ready.http !== undefined) return { kind: 'http', url: ready.http };
  if (ready.log !== undefined) return { kind: 'log', pattern: ready.log };
  const afterSeconds = ready.started_seconds ?? DEFAULTS.ready.started_seconds;
  return { kind: 'started', afterMs: secondsToMs(afterSeconds) };
}

function resolveAgent(agent: ProfileFile['agent'], directory: string): AgentConfig {
  if (agent === undefined || agent.driver === 'echo') return { driver: 'echo' };
  if (agent.driver === 'command') {
    const filled = { ...DEFAULTS.agent.command, ...agent };
    return {
      driver: 'command',
      argv: filled.command,
      cwd: resolve(directory, filled.cwd ?? '.'),
      timeoutMs: secondsToMs(filled.timeout_seconds),
      historyMessages: filled.history_messages,
    };
  }
  const filled = { ...DEFAULTS.agent.openai, ...agent };
  return {
    driver: 'openai',
    baseUrl: filled.base_url,
    apiKey: filled.api_key === undefined ? undefined : new Secret(filled.api_key),
    model: filled.model,
    systemPrompt: filled.system_prompt,
    timeoutMs: secondsToMs(filled.timeout_seconds),
    maxRetries: filled.max_retries,
    maxTokens: filled.max_tokens,
    temperature: filled.temperature,
    historyMessages: filled.history_messages,
    tools: filled.tools,
  };
}

function resolveApi(file: ProfileFile, name: string) {
  const filled = { ...DEFAULTS.platforms.api_server, ...file.platforms?.api_server };
  const servedApi = {
    key: filled.key === undefined ? undefined : new Secret(filled.key),
    model: filled.model ?? name,
    maxConcurrent: filled.max_concurrent,
  };
  const { host, port } = filled;
  return { apiServer: filled.enabled ? { ...servedApi, host, port } : undefined, servedApi };
}

function resolveInactivity(turns: ProfileFile['turns']): ProfileConfig['inactivity'] {
  const filled = { ...DEFAULTS.turns, ...turns };
  return {
    limitMs: secondsToMs(filled.inactivity_seconds),
    warningMs: secondsToMs(filled.warning_seconds),
    noteMs: secondsToMs(filled.note_seconds),
  };
}

/** By the names that adapters have. */
function resolveNotices(platforms: ProfileFile['platforms']): string[] {
  const { api_server, local } = DEFAULTS.platforms;
  const names: string[] = [];
  if ({ ...api_server, ...platforms?.api_server }.lifecycle_notices) names.push('api-server');
  if ({ ...local, ...platforms?.local }.lifecycle_notices) names.push('local');
  return names;
}

function resolveRestart(restart: RestartFile | undefined, storm: StormFile): RestartPolicy {
  const filled = { ...DEFAULTS.restart, ...restart };
  const alarm = { ...DEFAULTS.supervisor.storm, ...storm };
  return {
    backoffBaseMs: secondsToMs(filled.backoff_base_seconds),
    backoffCapMs: secondsToMs(filled.backoff_cap_seconds),
    jitterRatio: filled.jitter,
    healthyAfterMs: secondsToMs(filled.healthy_after_seconds),
    plannedMax: filled.planned_max,
    plannedWindowMs: secondsToMs(filled.planned_window_seconds),
    stormDeaths: alarm.deaths,
    stormWindowMs: secondsToMs(alarm.window_seconds),
    maxRestarts: filled.max_restarts,
    maxRestartsWindowMs: secondsToMs(filled.window_seconds),
    probeEveryMs: secondsToMs(filled.probe_every_seconds),
  };
}

function resolveWatchdog(watchdog: ProfileFile['watchdog']): WatchPolicy {
  const filled = { ...DEFAULTS.watchdog, ...watchdog };
  return {
    ...DEFAULT_WATCH_POLICY,
    warnOnly: filled.warn_only,
    sampleMs: secondsToMs(filled.check_seconds),
    warnAfterMs: secondsToMs(filled.warn_seconds),
    strikeMs: secondsToMs(filled.strike_seconds),
    strikes: filled.strikes,
    beatMs: secondsToMs(filled.beat_seconds),
    silenceMs: secondsToMs(filled.silence_seconds),
    proveMs: secondsToMs(filled.prove_seconds),
    provenWithinMs: secondsToMs(filled.proven_within_seconds),
  };
}

/** From the tree, not from the schema's output: `1.0` and `0644` stay what was written. */
function resolveEnv(tree: Mapping): Record<string, string | Secret> {
  const entries = [...(mappingAt(tree, ['env'])?.entries ?? [])].flatMap(([name, { value }]) => {
    if (value.kind !== 'scalar') return [];
    const text = typeof value.value === 'string' ? value.value : value.source;
    return [[name, value.secret ? new Secret(text) : text] as const];
  });
  return Object.fromEntries(entries);
}

function resolveOwns(owns: ProfileFile['owns']): Record<string, Secret> {
  return Object.fromEntries(
    Object.entries(owns ?? {}).map(([scope, identity]) => [scope, new Secret(identity)]),
  );
}

function resolveSecrets(
  agent: AgentConfig,
  apiServerKey: Secret | undefined,
  revealed: Iterable<string>,
): Secret[] {
  const texts = new Set(revealed);
  if (agent.driver === 'openai' && agent.apiKey !== undefined) texts.add(agent.apiKey.reveal());
  if (apiServerKey !== undefined) texts.add(apiServerKey.reveal());
  return [...texts].map((text) => new Secret(text));
}
