// The compiler and the linter as two more tests of a whole run.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const CHECKS = [
  { name: 'types (tsc --noEmit)', script: ['typescript', 'bin', 'tsc'], args: ['--noEmit'] },
  {
    name: 'format and lint (biome check)',
    script: ['@biomejs', 'biome', 'bin', 'biome'],
    args: ['check', '--colors=off', '--diagnostic-level=error', '.'],
  },
];

/** @returns each check's name, whether it passed, and what it printed */
export function runChecks(root) {
  return Promise.all(CHECKS.map((check) => runCheck(root, check)));
}

function runCheck(root, { name, script, args }) {
  return new Promise((resolve) => {
    const program = join(root, 'node_modules', ...script);
    const child = spawn(process.execPath, [program, ...args], { cwd: root });
    let output = '';
    const collect = (chunk) => {
      output += chunk;
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('close', (code) => resolve({ name, isOk: code === 0, output }));
  });
}
