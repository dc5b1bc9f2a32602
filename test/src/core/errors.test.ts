import t from 'tap';
import {
  ERROR_CODES,
  ERRORS,
  errnoOf,
  GatewardenError,
  messageOf,
  renderError,
} from '../../../src/core/errors.js';
import { EXIT } from '../../../src/core/exit-codes.js';

const PLACEHOLDER = /%([a-z]+)%/gi;

function placeholdersOf(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map((match) => match[1] ?? '');
}

function filled(code: (typeof ERROR_CODES)[number]): GatewardenError {
  const { template, next } = ERRORS[code];
  const names = placeholdersOf(`${template} ${next}`);
  return new GatewardenError(code, Object.fromEntries(names.map((name) => [name, `<${name}>`])));
}

t.test('an error with all its details leaves no placeholder and loses no detail', async (t) => {
  for (const code of ERROR_CODES) {
    const error = filled(code);
    const text = renderError(error);
    t.notMatch(text, /%/, code);
    for (const name of Object.keys(error.details)) t.match(text, `<${name}>`, `${code}: ${name}`);
  }
});

t.test('a message begins small, ends without a full stop and is not polite', async (t) => {
  for (const code of ERROR_CODES) {
    const { template, next } = ERRORS[code];
    t.match(template, /^[a-z%]/, code);
    t.notMatch(`${template}\n${next}`, /\.\s*$|please/im, code);
    t.not(next, '', `${code} has a next step`);
  }
});

t.test('codes are words joined by hyphens', async (t) => {
  for (const code of ERROR_CODES) t.match(code, /^[a-z]+(-[a-z]+)*$/);
});

t.test('what an operator must mend is never answered by a retry, and a bug says so', async (t) => {
  for (const code of ERROR_CODES) {
    const { fault, exit } = ERRORS[code];
    t.equal(exit === 'bug', fault === 'bug', code);
    if (exit === 'usage') t.equal(fault, 'operator', code);
  }
});

t.test('an error is rendered as one line and its next step', async (t) => {
  const error = new GatewardenError('no-supervisor', { home: '/srv/bots' });
  t.equal(
    renderError(error),
    'gatewarden: error: no supervisor answers for /srv/bots (no-supervisor)\n' +
      '  next: start one with: gatewarden up',
  );
});

t.test('an error without a hint says nothing about what comes next', async (t) => {
  const error = new GatewardenError('io-failed', { what: 'cannot read x', reason: 'EIO' });
  t.equal(renderError(error), 'gatewarden: error: cannot read x: EIO (io-failed)');
});

t.test(
  'details are repeated as they are: a percent sign or a dollar in them means nothing',
  async (t) => {
    const error = new GatewardenError('io-failed', {
      what: '%reason% $& $1',
      reason: '100 %what%',
      hint: '',
    });
    t.equal(error.message, '%reason% $& $1: 100 %what%');
  },
);

t.test('an error keeps its code, its fault, its exit code and its cause', async (t) => {
  const cause = new Error('EACCES');
  const error = new GatewardenError('config-invalid', { count: '2 problems' }, { cause });
  t.equal(error.code, 'config-invalid');
  t.equal(error.fault, 'operator');
  t.equal(error.exitCode, EXIT.config);
  t.equal(error.cause, cause);
  t.equal(error.name, 'GatewardenError');
  t.ok(error instanceof Error);
});

t.test('anything thrown has a message, and only a system error has an errno', async (t) => {
  t.equal(messageOf(new Error('x')), 'x');
  t.equal(messageOf('text'), 'text');
  t.equal(messageOf(undefined), 'undefined');
  t.equal(errnoOf(Object.assign(new Error('x'), { code: 'ENOSPC' })), 'ENOSPC');
  for (const thrown of [null, undefined, 'ENOSPC', new Error('x'), { code: 7 }]) {
    t.equal(errnoOf(thrown), undefined);
  }
});
