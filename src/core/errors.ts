// Longer than 300 lines because it is one table, which belongs together.
import { EXIT, type ExitClass } from './exit-codes.js';

/** Who can end an error: decides the exit class and the tone of the message. */
export type ErrorFault = 'operator' | 'system' | 'bug' | 'remote';

interface ErrorRow {
  readonly fault: ErrorFault;
  readonly exit: ExitClass;
  /** `%name%` is replaced by the detail of that name; lower-case start, no full stop */
  readonly template: string;
  /** the next step; `%name%` as above */
  readonly next: string;
}

/**
 * Every error the product can raise. The key is the code and is stable: retired codes stay
 * listed. docs/errors.md holds the same keys (tested both ways).
 */
export const ERRORS = {
  // usage
  'unknown-verb': {
    fault: 'operator',
    exit: 'usage',
    template: 'expected a verb, got %got%',
    next: '%hint%',
  },
  'bad-argument': {
    fault: 'operator',
    exit: 'usage',
    template: '%expected%, got %got%',
    next: '%hint%',
  },
  'bad-profile-name': {
    fault: 'operator',
    exit: 'usage',
    template:
      'expected a profile name (a-z, 0-9, _ and -, first a letter or digit, at most 64), got %got%',
    next: 'choose a name like coder or bot-2',
  },
  'unknown-profile': {
    fault: 'operator',
    exit: 'usage',
    template: 'no profile is named %got%; known: %known%',
    next: 'create it with: gatewarden profile add %got%',
  },
  'profile-disabled': {
    fault: 'operator',
    exit: 'config',
    template: 'profile %profile% says enabled: false in its configuration',
    next: 'set enabled: true there, then: gatewarden start %profile%',
  },
  // configuration
  'config-invalid': {
    fault: 'operator',
    exit: 'config',
    template: '%count% in the configuration:\n%problems%',
    next: '%hint%',
  },
  'home-missing': {
    fault: 'operator',
    exit: 'config',
    template: 'expected a home at %path%, found none',
    next: 'write a starter home with: gatewarden init',
  },
  'home-unusable': {
    fault: 'operator',
    exit: 'config',
    template: 'expected a home that can be read and written at %path%, got %reason%',
    next: '%hint%',
  },
  'node-too-old': {
    fault: 'operator',
    exit: 'config',
    template: 'expected Node %wanted% or newer, got %got%',
    next: 'install a newer Node and start again',
  },
  'socket-path-too-long': {
    fault: 'operator',
    exit: 'config',
    template: 'expected a socket path of at most %max% bytes, got %length%: %path%',
    next: 'set XDG_RUNTIME_DIR to a short directory of your own',
  },
  'schema-newer': {
    fault: 'operator',
    exit: 'config',
    template: '%path% was written by a newer version: expected schema %wanted% or older, got %got%',
    next: 'run the newer gatewarden, or restore the backup from before the upgrade',
  },
  'already-running': {
    fault: 'operator',
    exit: 'config',
    template: 'expected to be the only supervisor of %home%, but %owner% owns it',
    next: 'use that one (gatewarden status), or %hint%',
  },
  'gateway-already-running': {
    fault: 'operator',
    exit: 'config',
    template: 'expected to be the only gateway of profile %profile%, but %owner% owns %path%',
    next: '%hint%',
  },
  'profile-not-taken': {
    fault: 'operator',
    exit: 'config',
    template:
      'the configuration gives profile %profile% to the multiplexer, %owner%, which does not serve it',
    next: '%hint%',
  },
  'identity-taken': {
    fault: 'operator',
    exit: 'config',
    template:
      'profile %profile% needs the %scope% identity (%mark%) for itself, but %owner% has it',
    next: 'give each profile a credential of its own, or stop that one first',
  },
  'lock-unusable': {
    fault: 'operator',
    exit: 'config',
    template: 'cannot lock %path%: %reason%',
    next: '%hint%',
  },
  'account-unusable': {
    fault: 'operator',
    exit: 'config',
    template: 'profile %profile% cannot run as %account%: %reason%',
    next: '%hint%',
  },
  'credential-missing': {
    fault: 'operator',
    exit: 'config',
    template: 'profile %profile% needs %what%',
    next: '%hint%',
  },
  'credential-refused': {
    fault: 'operator',
    exit: 'config',
    template: 'the %what% of profile %profile% was refused: %reason%',
    next: '%hint%',
  },
  'not-built-in': {
    fault: 'operator',
    exit: 'config',
    template: 'profile %profile% asks for %what%, which this version does not have',
    next: '%hint%',
  },
  'runs-as-command': {
    fault: 'operator',
    exit: 'config',
    template: 'profile %profile% is a command: profile; only a supervisor can run it',
    next: 'run it with: gatewarden up',
  },
  // service managers
  'unit-value-refused': {
    fault: 'operator',
    exit: 'config',
    template: 'expected a value that a service manager can be told, got %got%: %reason%',
    next: 'choose a name or a path without it',
  },
  'account-unknown': {
    fault: 'operator',
    exit: 'usage',
    template: 'expected an account of this host, got %got%',
    next: 'name one that `getent passwd` shows: --run-as USER',
  },
  'run-as-root': {
    fault: 'operator',
    exit: 'usage',
    template: 'expected an account for the service, got root',
    next: 'name another with --run-as USER, or say --run-as root if root is meant',
  },
  'home-of-another-account': {
    fault: 'operator',
    exit: 'config',
    template: 'expected the home of a service to belong to %account%, but %path% is of %owner%',
    next: '%hint%',
  },
  'needs-root': {
    fault: 'operator',
    exit: 'failure',
    template: 'only root can %what%',
    next: '%hint%',
  },
  'home-temporary': {
    fault: 'operator',
    exit: 'config',
    template: 'expected a home that outlives a reboot, got %path%',
    next: 'choose one outside of %folder% with --home DIR, or write the files elsewhere with --out DIR',
  },
  'unit-of-another-home': {
    fault: 'operator',
    exit: 'config',
    template: 'expected %path% to belong to the home %home%, but it is for %owner%',
    next: 'work on that home with: --home %owner%; or move it away yourself',
  },
  'unit-not-ours': {
    fault: 'operator',
    exit: 'config',
    template: 'expected %path% to be of the home %home%, but it is %what%',
    next: '%hint%',
  },
  'unit-conflict': {
    fault: 'operator',
    exit: 'config',
    template: '%what% is installed already, and both would run %both%',
    next: '%hint%',
  },
  'served-not-alone': {
    fault: 'operator',
    exit: 'config',
    template:
      'profile %profile% is served by the gateway of %server%, so there is no process of it to %verb%',
    next: '%verb% them all with: gatewarden %verb% %server%; or take it out of gateway.multiplex_profile_allowlist, then: gatewarden reload',
  },
  'profile-served': {
    fault: 'operator',
    exit: 'config',
    template: 'profile %profile% is served already, by the gateway of default (%owner%)',
    next: '%hint%',
  },
  'manager-missing': {
    fault: 'system',
    exit: 'failure',
    template: 'expected %manager% to run here: %reason%',
    next: '%hint%',
  },
  'manager-failed': {
    fault: 'system',
    exit: 'failure',
    template: '%what% failed: %reason%',
    next: '%hint%',
  },
  // system
  'store-corrupt': {
    fault: 'system',
    exit: 'config',
    template: '%path% cannot be read as a database: %reason%',
    next: 'move it away (it is not deleted for you) and start again; history in it is lost',
  },
  'ended-from-outside': {
    fault: 'system',
    exit: 'failure',
    template: 'it was ended by %signal%, which the supervisor did not send',
    next: 'stop it for good with: gatewarden stop %profile%',
  },
  'owner-busy': {
    fault: 'system',
    exit: 'failure',
    template: '%what% belongs to %owner%, which %health% (waited %waited%)',
    next: '%hint%',
  },
  'identity-busy': {
    fault: 'system',
    exit: 'failure',
    template: 'the %scope% identity (%mark%) of profile %profile% belongs to %owner% now',
    next: 'nothing, if that one is on its way out; else give each profile a credential of its own',
  },
  'home-lost': {
    fault: 'system',
    exit: 'failure',
    template: '%home% was taken over by %owner%: %reason%',
    next: 'look at the clocks, the network volume and the other host; one of the two must go',
  },
  'listen-failed': {
    fault: 'system',
    exit: 'failure',
    template: 'cannot listen on %address%: %reason%',
    next: '%hint%',
  },
  'reap-refused': {
    fault: 'operator',
    exit: 'failure',
    template: 'nothing was ended: %reason%',
    next: 'leave it to the ExecStopPost line of the systemd unit; to stop a gateway: gatewarden stop NAME',
  },
  'no-supervisor': {
    fault: 'operator',
    exit: 'failure',
    template: 'no supervisor answers for %home%',
    next: 'start one with: gatewarden up',
  },
  'supervisor-silent': {
    fault: 'system',
    exit: 'failure',
    template: 'the supervisor (pid %pid%) did not answer within %waited%',
    next: 'look at %log%, or restart it through its manager',
  },
  'not-ready': {
    fault: 'system',
    exit: 'failure',
    template: 'profile %profile% did not become %wanted%: it is %state%',
    next: 'ask why with: gatewarden why %profile%',
  },
  'self-restart': {
    fault: 'operator',
    exit: 'failure',
    template: '%verb% of profile %profile% was asked for by a turn that this very gateway runs',
    next: 'ask in the chat with /restart, or outside of the turn with: gatewarden %verb% %profile%',
  },
  'no-chat': {
    fault: 'system',
    exit: 'failure',
    template: 'profile %profile% does not take messages: %reason%',
    next: '%hint%',
  },
  'turn-failed': {
    fault: 'remote',
    exit: 'failure',
    template: 'the agent of profile %profile% gave no answer: %reason%',
    next: '%hint%',
  },
  'turn-interrupted': {
    fault: 'system',
    exit: 'failure',
    template: 'the turn was interrupted: %reason%',
    next: '%hint%',
  },
  'gateway-draining': {
    fault: 'system',
    exit: 'failure',
    template: 'profile %profile% takes no new message: %why%',
    next: 'send it again later, in %wait% at the soonest',
  },
  'queue-full': {
    fault: 'operator',
    exit: 'failure',
    template: 'expected at most %max% waiting messages in one conversation; it has them already',
    next: 'wait for an answer, then send it again',
  },
  'message-repeated': {
    fault: 'operator',
    exit: 'failure',
    template: 'message %id% was taken already',
    next: 'send a new message with an id of its own',
  },
  'io-failed': {
    fault: 'system',
    exit: 'failure',
    template: '%what%: %reason%',
    next: '%hint%',
  },
  'protocol-broken': {
    fault: 'bug',
    exit: 'bug',
    template: '%sender% sent a message that is not in the contract: %got%',
    next: 'report this with the log around it',
  },
  'invariant-broken': {
    fault: 'bug',
    exit: 'bug',
    template: '%what%',
    next: 'report this with the log around it',
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/** The one error class; callers test `code`, never the text. */
export class GatewardenError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    details: Readonly<Record<string, string>> = {},
    options?: { readonly cause?: unknown },
  ) {
    super(fill(ERRORS[code].template, details), options);
    this.name = 'GatewardenError';
    this.code = code;
    this.details = details;
  }

  get fault(): ErrorFault {
    return ERRORS[this.code].fault;
  }

  /** what to do next, one sentence */
  get next(): string {
    return fill(ERRORS[this.code].next, this.details);
  }

  get exitCode(): number {
    return EXIT[ERRORS[this.code].exit];
  }
}

/** `gatewarden: error: ‹what› (‹code›)` and the next step on its own line (spec/cli.md). */
export function renderError(error: GatewardenError): string {
  const next = error.next === '' ? '' : `\n  next: ${error.next}`;
  return `gatewarden: error: ${error.message} (${error.code})${next}`;
}

/** Message of anything thrown; keeps the chain of causes readable in one line. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The errno name of a system error, such as `ENOSPC`. */
export function errnoOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

function fill(template: string, details: Readonly<Record<string, string>>): string {
  return template.replace(/%([a-z]+)%/gi, (_, name: string) => details[name] ?? '');
}
