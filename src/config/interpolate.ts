import type { ConfigProblem } from './model.js';
import { problemAt } from './problems.js';
import type { Path, Scalar, Tree } from './tree.js';

/** Where `${NAME}` is looked up. */
export interface Scope {
  /** what the problem calls it: `profile coder`, `the host` */
  readonly owner: string;
  readonly values: ReadonlyMap<string, string>;
  readonly lookedIn: readonly string[];
  /** the one among them that is to be made, when it is not there */
  readonly missing?: string | undefined;
}

export interface Interpolated {
  readonly tree: Tree;
  readonly problems: readonly ConfigProblem[];
  /** every text that came out of the scope */
  readonly revealed: ReadonlySet<string>;
}

const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Replaces `${NAME}` in every text of the tree; `$${` stands for a literal `${`. */
export function interpolate(tree: Tree, scope: Scope): Interpolated {
  const problems: ConfigProblem[] = [];
  const revealed = new Set<string>();
  const walk = (value: Tree, path: Path): Tree => {
    switch (value.kind) {
      case 'mapping': {
        const entries = [...value.entries].map(
          ([key, entry]) =>
            [key, { at: entry.at, value: walk(entry.value, [...path, key]) }] as const,
        );
        return { ...value, entries: new Map(entries) };
      }
      case 'sequence':
        return { ...value, items: value.items.map((item, index) => walk(item, [...path, index])) };
      case 'scalar':
        return interpolateScalar(value, path, { scope, problems, revealed });
      default:
        return value satisfies never;
    }
  };
  return { tree: walk(tree, []), problems, revealed };
}

interface Findings {
  readonly scope: Scope;
  readonly problems: ConfigProblem[];
  readonly revealed: Set<string>;
}

function interpolateScalar(scalar: Scalar, path: Path, findings: Findings): Scalar {
  if (typeof scalar.value !== 'string' || !scalar.value.includes('${')) return scalar;
  let secret = false;
  const value = scalar.value.replace(REFERENCE, (reference, name: string, closing: string) => {
    if (reference === '$${') return '${';
    const found = closing === '' ? undefined : findings.scope.values.get(name);
    if (found === undefined) {
      findings.problems.push(unresolved(scalar, path, { name, closing, scope: findings.scope }));
      return '';
    }
    secret = true;
    findings.revealed.add(found);
    return found;
  });
  return { ...scalar, value, source: value, secret };
}

function unresolved(
  scalar: Scalar,
  path: Path,
  reference: { readonly name: string; readonly closing: string; readonly scope: Scope },
): ConfigProblem {
  const { name, closing, scope } = reference;
  if (closing === '' || !NAME.test(name)) {
    return problemAt(scalar.at, path, {
      expected: `\${NAME}, or $\${ for a literal \${`,
      got: 'something else after ${',
      hint: 'a name is made of A-Z, a-z, 0-9 and _; there are no defaults and no nesting',
    });
  }
  return problemAt(scalar.at, path, {
    expected: `a value for \${${name}} of ${scope.owner}`,
    got: 'none',
    hint: `looked in ${scope.lookedIn.join(' and ')}; ${cureOf(name, scope)}`,
  });
}

function cureOf(name: string, { lookedIn, missing }: Scope): string {
  const line = `the line ${name}=…`;
  if (missing === undefined) return `add ${line}`;
  return `create ${lookedIn.length === 1 ? 'it' : missing} with mode 600 and ${line}`;
}

/** The writing of a text that reads back as itself. */
export function escapeReferences(text: string): string {
  // a function, because `$$` in a replacement text means one `$`
  return text.replaceAll('${', () => '$${');
}
