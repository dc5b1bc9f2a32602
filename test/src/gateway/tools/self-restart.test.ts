import t from 'tap';
import { findSelfRestart } from '../../../../src/gateway/tools/self-restart.js';

const SELF = { profile: 'coder', pids: [4711, 4700] };

const REFUSED = [
  'gatewarden restart',
  'gatewarden restart coder',
  'gatewarden --home /srv/home stop coder --now',
  'gatewarden restart --all',
  'gatewarden restart other coder',
  '/usr/local/bin/gatewarden restart coder',
  'node bin/gatewarden.js restart coder',
  'cd /tmp && gatewarden restart coder',
  'sleep 1; gatewarden restart coder &',
  'nohup setsid gatewarden restart coder',
  'env -i GATEWARDEN_TURN= gatewarden restart coder',
  'A=b gatewarden restart coder',
  'sh -c "gatewarden restart coder"',
  "bash -lc 'sleep 5 && gatewarden stop'",
  'echo $(gatewarden restart coder)',
  'gatewarden up --replace',
  'gatewarden gateway run -p coder --replace',
  'gatewarden reap',
  'echo /restart | gatewarden chat coder',
  'systemctl --user restart gatewarden.service',
  'sudo systemctl stop gatewarden-gateway-coder',
  'launchctl kickstart -k gui/501/dev.gatewarden.gateway',
  'launchctl submit -l x -- gatewarden restart coder',
  's6-svc -r /run/service/gateway-coder',
  'pkill -f gatewarden',
  'killall gatewarden',
  'kill 4711',
  'kill -TERM 4700',
  'kill -9 -4711',
  'kill $PPID',
  'curl --unix-socket /run/x/_control.sock -X POST http://x/v1/profiles/coder/restart',
];
for (const command of REFUSED) {
  t.test(`an agent does not end its own gateway by: ${command}`, async (t) => {
    t.type(findSelfRestart(command, SELF), 'string');
  });
}

const ALLOWED = [
  'gatewarden status',
  'gatewarden restart other',
  'gatewarden why coder',
  'gatewarden logs coder | grep restart',
  'echo hello | gatewarden chat other',
  'systemctl restart nginx',
  'systemctl status gatewarden',
  'kill 12345',
  'kill -0 1',
  'pkill -f next',
  'grep -rn "gatewarden" src',
  'git commit -m "Describe how gatewarden is stopped"',
  'cat restart.txt',
  'npm run stop',
  'curl http://127.0.0.1/v1/profiles',
  '',
];
for (const command of ALLOWED) {
  t.test(`an agent may run: ${command}`, async (t) => {
    t.equal(findSelfRestart(command, SELF), undefined);
  });
}
