import {
  checkConfig,
  checkNotices,
  configJsonSchema,
  explainKey,
  knownKeys,
} from '../../config/index.js';
import { nearest } from '../../config/nearest.js';
import { renderProblems } from '../../config/problems.js';
import { GatewardenError } from '../../core/errors.js';
import { CLI_EXIT } from '../../core/exit-codes.js';
import { renderExplanation } from '../render/explanation.js';
import { plural } from '../render/units.js';
import { type Context, hasFlag, type Invocation } from '../verb.js';

export async function run(invocation: Invocation, context: Context): Promise<number> {
  switch (invocation.verb) {
    case 'config check':
      return check(invocation, context);
    case 'config schema':
      return schema(invocation, context);
    default:
      return explain(invocation, context);
  }
}

/** All problems at once; they are the result, so they go to stdout. */
function check(invocation: Invocation, { env, home, terminal }: Context): number {
  const problems = checkConfig(home, env);
  const notices = checkNotices(home);
  const code = problems.length === 0 ? CLI_EXIT.done : CLI_EXIT.refused;
  if (hasFlag(invocation, 'json')) {
    terminal.out(JSON.stringify({ good: problems.length === 0, problems, notices }));
    return code;
  }
  for (const notice of notices) terminal.out(`notice: ${notice}`);
  if (problems.length === 0) {
    terminal.out(`the configuration in ${home} is good`);
    return code;
  }
  terminal.out(`${plural(problems.length, 'problem')} in the configuration:`);
  terminal.out(renderProblems(problems));
  return code;
}

function schema(invocation: Invocation, { terminal }: Context): number {
  const kind = invocation.words[0] === 'host' ? 'host' : 'profile';
  terminal.out(JSON.stringify(configJsonSchema(kind), undefined, 2));
  return CLI_EXIT.done;
}

function explain(invocation: Invocation, { terminal }: Context): number {
  const key = invocation.words[0] ?? '';
  const explanation = explainKey(key);
  if (explanation === undefined) {
    const known = knownKeys();
    const near = nearest(key, known) ?? known.find((one) => one.endsWith(`.${key}`));
    throw new GatewardenError('bad-argument', {
      expected: 'expected a configuration key',
      got: JSON.stringify(key),
      hint:
        near === undefined
          ? 'all keys stand in: gatewarden config schema host, gatewarden config schema profile'
          : `did you mean ${near}?`,
    });
  }
  terminal.out(
    hasFlag(invocation, 'json')
      ? JSON.stringify(explanation)
      : renderExplanation(explanation, terminal.columns),
  );
  return CLI_EXIT.done;
}
