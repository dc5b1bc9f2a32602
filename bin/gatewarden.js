#!/usr/bin/env node
// Started by a person, a unit or a container's run file; anything may be true, Node may even be
// too old to parse the rest. Refuses (78) what cannot run, then hands over to dist/bin/cli.js.
const WANTED = [20, 19];
const CONFIG_REFUSAL = 78; // same number as EXIT.config: nothing else can be imported yet
const parts = process.versions.node.split('.').map(Number);
if (parts[0] < WANTED[0] || (parts[0] === WANTED[0] && parts[1] < WANTED[1])) {
  process.stderr.write(
    'gatewarden: error: expected Node ' +
      WANTED.join('.') +
      ' or newer, got ' +
      process.versions.node +
      ' (node-too-old)\n  next: install a newer Node and start again\n',
  );
  process.exit(CONFIG_REFUSAL);
}
import('../dist/bin/cli.js').catch((error) => {
  if (
    error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    /dist[\\/]bin[\\/]cli\.js/.test(error.message)
  ) {
    process.stderr.write(
      'gatewarden: error: expected a built package, found no dist/bin/cli.js (not-built)\n' +
        '  next: run npm run build in the package folder\n',
    );
    process.exit(CONFIG_REFUSAL);
  }
  throw error;
});
