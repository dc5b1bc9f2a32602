import { EXIT } from '../../src/core/exit-codes.js';
import { generatedNote } from '../generated-file.js';
import { quoteShell } from '../shell/escape.js';

/** Where the package and its Node were when the launcher was written. */
export interface LauncherFacts {
  /** bin/gatewarden.js of the package */
  readonly entry: string;
  readonly node: string;
}

/**
 * The program that units name. It stays where it is when Node or the package move: version
 * managers put both into a folder with the version in its name (field case F10).
 */
export function renderLauncher({ entry, node }: LauncherFacts): string {
  return `#!/bin/sh
# ${generatedNote('gatewarden units install')}
# Started by a service manager, or by a person, as the account of the service; the home exists.
# Finds the package and a Node, also after an upgrade has moved them, puts that Node first in
# PATH for tools, and becomes it. Ends with ${EXIT.config} when there is none: no retry helps.
# shellcheck disable=SC1003,SC2016 # quotes and dollars in a path are meant as they stand
set -u
entry=${quoteShell(entry)}
node=${quoteShell(node)}
PATH=\${PATH:-/usr/local/bin:/usr/bin:/bin}

refuse() {
  printf 'gatewarden: error: expected %s, found none (launcher-broken)\\n  next: %s\\n' "$1" "$2" >&2
  exit ${EXIT.config}
}

# the newest of those that a version manager keeps side by side
sibling_of() {
  versions=\${1%/*/bin/node}
  find "$versions" -mindepth 3 -maxdepth 3 -path '*/bin/node' 2>/dev/null |
    sort -t/ -k1,1 -V | tail -n 1
}

if [ ! -x "$node" ]; then
  for candidate in "$(command -v node)" "$(sibling_of "$node")" \\
    /usr/local/bin/node /usr/bin/node /opt/homebrew/bin/node; do
    if [ -n "$candidate" ] && [ -x "$candidate" ]; then
      node=$candidate
      break
    fi
  done
fi
[ -x "$node" ] || refuse "Node at $node or in PATH" 'install Node, then: gatewarden units install'

# a package that was installed for another Node is beside that Node
if [ ! -f "$entry" ]; then
  for candidate in "\${node%/bin/node}/lib/node_modules/gatewarden/bin/gatewarden.js" \\
    "$(command -v gatewarden)"; do
    if [ -f "$candidate" ] && [ "$candidate" != "$0" ]; then
      entry=$candidate
      break
    fi
  done
fi
[ -f "$entry" ] || refuse "the package at $entry" 'install it for this Node: npm install -g gatewarden'

PATH=\${node%/*}:$PATH
export PATH
exec "$node" "$entry" "$@"
`;
}
