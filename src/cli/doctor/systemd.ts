import { existsSync, readdirSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { type CheckResult, type DoctorFacts, type Finding, fine, found } from './finding.js';

/** What a user service needs on a host without a login (field case F14). */
export function checkSystemd({ env, reach, uid }: DoctorFacts): CheckResult {
  if (!existsSync('/run/systemd/system')) return fine('systemd', 'not the manager of this host');
  if (uid === 0) return fine('systemd', 'there; system units need neither linger nor a user bus');
  const user = userInfo().username;
  const runtimeDir = env.XDG_RUNTIME_DIR;
  const facts = {
    user,
    runtimeDir,
    isLingering: existsSync(join('/var/lib/systemd/linger', user)),
    hasBus: runtimeDir !== undefined && existsSync(join(runtimeDir, 'bus')),
    // without a user unit none of it matters
    matters:
      hasUserUnit() || (reach.kind === 'answers' && reach.report.supervisor.manager === 'systemd'),
  };
  const seen = `linger ${facts.isLingering ? 'on' : 'off'}, user bus ${facts.hasBus ? 'there' : 'missing'}`;
  return found('systemd', seen, judgeSystemd(facts));
}

export interface SystemdFacts {
  readonly user: string;
  readonly runtimeDir: string | undefined;
  readonly isLingering: boolean;
  readonly hasBus: boolean;
  readonly matters: boolean;
}

/** In the order in which they must be cured. */
export function judgeSystemd(facts: SystemdFacts): Finding[] {
  if (!facts.matters) return [];
  const findings: Finding[] = [];
  if (!facts.isLingering) {
    findings.push({
      what: `services of ${facts.user} end at logout and do not start at boot (no linger)`,
      remedy: `loginctl enable-linger ${facts.user}`,
    });
  }
  if (facts.runtimeDir === undefined) {
    findings.push({
      what: 'XDG_RUNTIME_DIR is not set, so systemctl --user cannot find its manager',
      remedy: 'export XDG_RUNTIME_DIR=/run/user/$(id -u)',
    });
  } else if (!facts.hasBus) {
    findings.push({
      what: `there is no user bus at ${facts.runtimeDir}/bus`,
      remedy: 'install dbus-user-session and log in again',
    });
  }
  return findings;
}

function hasUserUnit(): boolean {
  try {
    return readdirSync(join(homedir(), '.config/systemd/user')).some((name) =>
      name.startsWith('gatewarden'),
    );
  } catch {
    return false;
  }
}
