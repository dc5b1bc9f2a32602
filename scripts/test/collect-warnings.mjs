// Loaded into every Node process of a test run, the product's own too. Writes each warning of
// Node (deprecated, experimental, leaking listeners, …) to a file that fails the run. The file
// is named in this module's own address, so that nothing is added to anyone's environment.
import { appendFileSync } from 'node:fs';

const file = new URL(import.meta.url).searchParams.get('to');
/** the test runner's own hooks, nothing that we ship */
const FOREIGN = /node_modules[\\/](@tapjs|tap|@isaacs)[\\/]/;

process.on('warning', (warning) => {
  const stack = String(warning.stack ?? warning);
  if (file === null || FOREIGN.test(stack)) return;
  try {
    appendFileSync(file, `${JSON.stringify({ argv: process.argv.slice(1), stack })}\n`);
  } catch {
    // the run is over and has taken the file along
  }
});
