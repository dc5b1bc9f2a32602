import fc from 'fast-check';
import t from 'tap';
import { escapeXml, unescapeXml } from '../../../units/launchd/escape.js';
import { parseLaunchdJob } from '../../../units/launchd/parse.js';
import { type PlistValue, parsePlist, renderPlistValue } from '../../../units/launchd/plist.js';
import { exitTimeoutSeconds, renderPlist } from '../../../units/launchd/render.js';
import type { Service } from '../../../units/service.js';
import { golden } from '../../support/golden.js';
import { HOSTILE, serviceWith } from '../../support/service-facts.js';

function plistOf(service: Service): string {
  return renderPlist(service, {
    named: { subject: service.subject, home: service.home, usualHome: service.home },
    stdoutPath: '/Users/ada/out.log',
    stderrPath: '/Users/ada/error.log',
  });
}

t.test('a job is as it was agreed', async (t) => {
  const text = plistOf(serviceWith());
  t.equal(text, golden('units/supervisor.plist', text));
  t.match(text, '<key>Label</key>\n  <string>dev.gatewarden.supervisor</string>');
});

for (const [name, text] of Object.entries(HOSTILE)) {
  t.test(`${name} reads back from the job`, async (t) => {
    const service = serviceWith({ argv: ['/bin/sh', text], env: { VALUE: text } });
    const read = parseLaunchdJob(plistOf(service));
    t.strictSame(read.argv, service.argv);
    t.equal(read.env.VALUE, text);
    t.equal(read.workingDirectory, service.home);
  });
}

t.test('what XML has no way to say is refused', async (t) => {
  for (const text of ['\u0001', '\u001b', '\ufffe', '\ud800']) {
    t.throws(() => escapeXml(text), { code: 'unit-value-refused' });
  }
});

t.test('names and numbers for characters are read, ours and those of other writers', async (t) => {
  t.equal(unescapeXml('&lt;&gt;&amp;&quot;&apos;&#65;&#x42;&other;'), '<>&"\'AB&other;');
});

t.test('any property list of ours reads back the same', async (t) => {
  const text = fc.string({ unit: 'grapheme' }).filter((one) => !/\p{Cc}/u.test(one));
  const { value } = fc.letrec<{ value: PlistValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.boolean(),
      fc.array(tie('value')),
      fc.dictionary(
        text.filter((key) => key !== '__proto__'),
        tie('value'),
      ),
    ),
  }));
  fc.assert(
    fc.property(value, (one) => {
      const read = parsePlist(renderPlistValue(one));
      return JSON.stringify(read) === JSON.stringify(one);
    }),
  );
  t.pass('held');
});

t.test('a text that is no property list is read as nothing', async (t) => {
  for (const text of ['', 'hello', '<dict><key>a</key>', '<array><string>a</string>']) {
    t.equal(parseLaunchdJob(text).argv, undefined, text);
  }
});

t.test('launchd is never asked for more than it gives', async (t) => {
  t.equal(exitTimeoutSeconds(20_500), 21);
  t.equal(exitTimeoutSeconds(148_000), 60);
});
