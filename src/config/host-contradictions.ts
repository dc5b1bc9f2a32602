import { parseAddress } from './addresses.js';
import { restartContradictions } from './contradictions.js';
import { DEFAULTS } from './defaults.js';
import type { ConfigProblem } from './model.js';
import { describeGot, problemAt, showMadeOf } from './problems.js';
import type { HostFile } from './schema/host.js';
import { type Mapping, type Path, placeOf, valueAt } from './tree.js';

/** What is wrong with the host file although every value by itself is fine. */
export function hostContradictions(file: HostFile, tree: Mapping): ConfigProblem[] {
  return [
    ...restartContradictions(file.supervisor?.restart, ['supervisor', 'restart'], tree),
    ...startContradictions(file, tree),
    ...controlContradictions(file, tree),
  ];
}

function startContradictions(file: HostFile, tree: Mapping): ConfigProblem[] {
  const path = ['supervisor', 'start', 'max_lease_seconds'];
  const start = { ...DEFAULTS.supervisor.start, ...file.supervisor?.start };
  if (start.max_lease_seconds <= start.max_total_seconds) return [];
  const expected = `at most max_total_seconds (${start.max_total_seconds})`;
  return [problemAt(placeOf(tree, path), path, { expected, got: String(start.max_lease_seconds) })];
}

function controlContradictions(file: HostFile, tree: Mapping): ConfigProblem[] {
  const { listen, token } = file.supervisor?.control ?? {};
  if (listen === undefined) return [];
  const path: Path = ['supervisor', 'control', 'listen'];
  const problems: ConfigProblem[] = [];
  if (parseAddress(listen) === undefined) {
    const expected = 'an address and a port such as 127.0.0.1:8640 or "[::1]:8640"';
    const got = describeGot(valueAt(tree, path), path);
    problems.push(problemAt(placeOf(tree, path), path, { expected, got }));
  }
  if (token === undefined) {
    problems.push(
      problemAt(placeOf(tree, path), ['supervisor', 'control', 'token'], {
        expected: `a token, because ${showMadeOf(tree, path, listen)} is open to every account of this machine`,
        got: 'none',
        hint: 'the unix socket needs none: remove listen if that is enough',
      }),
    );
  }
  return problems;
}
