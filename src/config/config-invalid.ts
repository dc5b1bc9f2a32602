import { GatewardenError } from '../core/errors.js';
import type { ConfigProblem } from './model.js';
import { countProblems, renderProblems } from './problems.js';

/** What an operator is told of a configuration that cannot be used, with every problem in it. */
export function configInvalid(
  problems: readonly ConfigProblem[],
  hint = 'correct it and check it with: gatewarden config check',
): GatewardenError {
  const count = countProblems(problems);
  return new GatewardenError('config-invalid', { count, problems: renderProblems(problems), hint });
}
