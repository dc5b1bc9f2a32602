import { GatewardenError } from '../../core/errors.js';
import type { ListenAddress } from '../../core/ipc.js';
import { describeAddress } from './port.js';

/** The next step for each way a bind fails. */
const HINTS: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another program uses it: stop that one, or choose another port in platforms.api_server.port',
  EACCES: 'this user may not bind it: choose a port above 1023 or a directory of its own',
  EPERM: 'this user may not bind it: choose a port above 1023 or a directory of its own',
  EADDRNOTAVAIL: 'this machine has no such address: correct platforms.api_server.host',
  ENOTFOUND: 'the name has no address: correct platforms.api_server.host',
  ENOENT: 'its directory does not exist: start again through the supervisor, which makes it',
};

const DEFAULT_HINT = 'look at the address and what uses it';

export function listenFailed(
  address: ListenAddress,
  error: { readonly errno: string; readonly text: string },
): GatewardenError {
  return new GatewardenError('listen-failed', {
    address: describeAddress(address),
    reason: error.text.includes(error.errno) ? error.text : `${error.errno}: ${error.text}`,
    hint: HINTS[error.errno] ?? DEFAULT_HINT,
  });
}
