import t from 'tap';
import { redactCommand } from '../../../../src/gateway/processes/redact-command.js';

const HIDDEN = 'q7Wm2xLpZ4vT9';

for (const command of [
  `API_TOKEN=${HIDDEN} ./run`,
  `curl -H "Authorization: Bearer ${HIDDEN}" http://x`,
  `curl -H 'X-Api-Key: ${HIDDEN}' http://x`,
  `mysql --password=${HIDDEN} db`,
  `login --password ${HIDDEN}`,
  `login --api-key "${HIDDEN}"`,
  `git clone https://me:${HIDDEN}@host/repo`,
  `echo sk-${HIDDEN}${HIDDEN}`,
  `export CLIENT_SECRET='${HIDDEN}'; ./run`,
]) {
  t.test(`a secret is hidden in ${command.replaceAll(HIDDEN, '…')}`, async (t) => {
    const redacted = redactCommand(command, []);
    t.notMatch(redacted, HIDDEN);
    t.match(redacted, '[secret]');
  });
}

t.test('a secret of the profile is hidden wherever it stands', async (t) => {
  t.equal(redactCommand(`./run x${HIDDEN}y`, [HIDDEN]), './run x[secret]y');
});

t.test('an ordinary command stays as it is', async (t) => {
  const command = 'npm run build -- --mode production && echo done > out.txt # at 12:30';
  t.equal(redactCommand(command, ['production-key']), command);
});
