import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { systemdUnitName } from '../../../units/names.js';
import { runProgram } from '../../../units/run-program.js';
import { isSameSubject, type Subject } from '../../../units/service.js';
import { hostBudgets, profileBudgets } from '../../config/index.js';
import type { LoadedConfig } from '../../config/model.js';
import type { BudgetChain } from '../../core/budgets.js';
import { parseSystemdDuration } from '../../core/systemd-duration.js';
import { describeBudgets } from '../render/budgets.js';
import { formatSpan } from '../render/units.js';
import { findOwnUnits, type OwnUnit } from '../units/own-units.js';
import { type CheckResult, type DoctorFacts, type Finding, fine, found } from './finding.js';
import { findStale } from './units.js';

/** an answer of moments, but on a host that swaps; without it a cut would be missed */
const SYSTEMCTL_TIMEOUT_MS = 15_000;
const SECOND_MS = 1000;

/**
 * The chain of this configuration, against what the service manager would really grant. A unit
 * that is stale is the business of the check of units; here it is what drop-ins and an omitted
 * reload make of a good one, and units by hand.
 */
export async function checkBudgets({ config, env, home, uid }: DoctorFacts): Promise<CheckResult> {
  if (config === undefined) {
    return fine('budgets', 'not checked: there is no configuration to read');
  }
  const host = hostBudgets(config);
  const own = await findOwnUnits(home, env);
  const wanted = wantedUnits(config, host, nameUnits(home, own));
  const installed = await readUnits(
    wanted.map(({ unit }) => unit),
    uid,
  );
  const stale = await findStale(home, env);
  const told = installed.filter(({ unit, scope }) =>
    stale.some(({ name, target }) => name === unit && target.scope === scope),
  );
  const untold = installed.filter((one) => !told.includes(one));
  const findings = [...judgeCut(host), ...judgeInstalled(wanted, untold)];
  return found('budgets', `a stop ends by: ${describeBudgets(host.rows)}`, findings);
}

export interface WantedUnit {
  readonly unit: string;
  readonly needsMs: number;
}

export interface InstalledUnit {
  readonly unit: string;
  readonly scope: 'user' | 'system';
  /** of a unit that does not exist systemd tells defaults too: only `loaded` means anything */
  readonly loadState: string;
  /** Infinity: never; undefined: systemd said something else */
  readonly stopMs: number | undefined;
}

export function judgeInstalled(
  wanted: readonly WantedUnit[],
  installed: readonly InstalledUnit[],
): Finding[] {
  return installed.flatMap(({ unit, scope, loadState, stopMs }) => {
    const needsMs = wanted.find((one) => one.unit === unit)?.needsMs;
    if (loadState !== 'loaded' || needsMs === undefined || stopMs === undefined) return [];
    if (stopMs >= needsMs) return [];
    const flag = scope === 'user' ? ' --user' : '';
    return [
      {
        what: `${unit} (${scope}) is killed ${formatSpan(stopMs)} after a stop began, which may take ${formatSpan(needsMs)}: no evidence would survive`,
        remedy: `systemctl${flag} daemon-reload; if that is not it, a line of yours is in the way: raise TimeoutStopSec to ${Math.ceil(needsMs / SECOND_MS)} in what systemctl${flag} cat ${unit} shows`,
      },
    ];
  });
}

function judgeCut({ isCut }: BudgetChain): Finding[] {
  if (!isCut) return [];
  return [
    {
      what: 'the times of a stop add up to more than the longest timer (24 days): the drain is cut',
      remedy: 'lower drain_seconds, jobs_drain_seconds or interrupt_grace_seconds',
    },
  ];
}

/** Blocks of `systemctl show`, one per unit, separated by an empty line. */
export function parseShown(text: string, scope: InstalledUnit['scope']): InstalledUnit[] {
  return text.split(/\n\n+/).flatMap((block) => {
    const fields = new Map(
      block.split('\n').map((line) => {
        const at = line.indexOf('=');
        return [line.slice(0, at), line.slice(at + 1)] as const;
      }),
    );
    const unit = fields.get('Id');
    if (unit === undefined) return [];
    const loadState = fields.get('LoadState') ?? '';
    return [
      { unit, scope, loadState, stopMs: parseSystemdDuration(fields.get('TimeoutStopUSec') ?? '') },
    ];
  });
}

type NameUnit = (subject: Subject) => string;

/** As it is installed, whoever looks; or as it would be called, for one that is not ours. */
function nameUnits(home: string, own: readonly OwnUnit[]): NameUnit {
  const usualHome = join(homedir(), '.gatewarden');
  return (subject) =>
    own.find((unit) => unit.target.manager === 'systemd' && isSameSubject(unit.subject, subject))
      ?.name ?? systemdUnitName({ subject, home, usualHome });
}

function wantedUnits(config: LoadedConfig, host: BudgetChain, nameOf: NameUnit): WantedUnit[] {
  const gateways = [...config.profiles.values()].flatMap((loaded) => {
    if (loaded.kind !== 'good' || loaded.config.command !== undefined) return [];
    const { at } = profileBudgets(loaded.config, config.host);
    const unit = nameOf({ kind: 'gateway', profile: loaded.name });
    return [{ unit, needsMs: at['manager-stop'] }];
  });
  return [{ unit: nameOf({ kind: 'supervisor' }), needsMs: host.at['manager-stop'] }, ...gateways];
}

async function readUnits(units: readonly string[], uid: number): Promise<InstalledUnit[]> {
  if (!existsSync('/run/systemd/system')) return [];
  const scopes = uid === 0 ? (['system'] as const) : (['system', 'user'] as const);
  const shown = await Promise.all(
    scopes.map(async (scope) => {
      const words = [`--${scope}`, 'show', '--property=Id,LoadState,TimeoutStopUSec', ...units];
      const { stdout } = await runProgram(['systemctl', ...words], {
        timeoutMs: SYSTEMCTL_TIMEOUT_MS,
      });
      return parseShown(stdout, scope);
    }),
  );
  return shown.flat();
}
