import { formatDuration } from '../../../core/durations.js';
import { GatewardenError } from '../../../core/errors.js';
import { maskSecrets } from '../../../core/secret.js';

/** How a program failed to answer. */
export type ProgramFault =
  | { readonly kind: 'not-started'; readonly errno: string; readonly cwdMissing: boolean }
  | { readonly kind: 'exit-code'; readonly code: number; readonly stderr: string }
  | { readonly kind: 'signal'; readonly signal: string; readonly stderr: string }
  | { readonly kind: 'time-out'; readonly timeoutMs: number; readonly stderr: string };

export interface FailedProgram {
  readonly profile: string;
  readonly program: string;
  readonly cwd: string | undefined;
  readonly secrets: readonly string[];
  readonly fault: ProgramFault;
}

/** What a person is told; foreign output is masked. */
export function toTurnError(failed: FailedProgram): GatewardenError {
  const { reason, hint } = tell(failed);
  return new GatewardenError('turn-failed', {
    profile: failed.profile,
    reason: maskSecrets(reason, failed.secrets),
    hint,
  });
}

function tell({ fault, program, cwd }: FailedProgram): { reason: string; hint: string } {
  switch (fault.kind) {
    case 'not-started':
      return fault.cwdMissing
        ? {
            reason: `its directory ${cwd} does not exist`,
            hint: 'correct agent.cwd of the profile',
          }
        : {
            reason: `${program} could not be started (${fault.errno})`,
            hint: 'correct agent.command of the profile: the first item is a program that exists and may be run',
          };
    case 'exit-code':
      return {
        reason: `${program} ended with code ${fault.code}${lastLines(fault.stderr)}`,
        hint: 'run agent.command by hand with a message on its standard input',
      };
    case 'signal':
      return {
        reason: `${program} was ended by ${fault.signal}${lastLines(fault.stderr)}`,
        hint: 'look for who sent the signal: the memory limit of the profile, or an operator',
      };
    case 'time-out':
      return {
        reason: `${program} took longer than ${formatDuration(fault.timeoutMs)} and was ended${lastLines(fault.stderr)}`,
        hint: 'raise agent.timeout_seconds of the profile, or make the program faster',
      };
    default:
      return fault satisfies never;
  }
}

const SHOWN_LINES = 3;

function lastLines(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  return lines.length === 0 ? '' : `: ${lines.slice(-SHOWN_LINES).join(' | ')}`;
}
