import { homedir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import {
  controlSocketPath,
  homeHash,
  homeLayout,
  localSocketPath,
  profileLayout,
  resolveHome,
  runtimeDirCandidates,
} from '../../../src/config/index.js';

t.test('the home is the flag, else the environment, else one in the home directory', async (t) => {
  t.equal(resolveHome('/a', { GATEWARDEN_HOME: '/b' }), '/a');
  t.equal(resolveHome(undefined, { GATEWARDEN_HOME: '/b/../c' }), '/c');
  t.equal(resolveHome(undefined, {}), join(homedir(), '.gatewarden'));
  t.equal(resolveHome(undefined, { GATEWARDEN_HOME: '' }), join(homedir(), '.gatewarden'));
  t.equal(resolveHome('relative', {}), join(process.cwd(), 'relative'));
});

t.test('two homes have two short names', async (t) => {
  t.match(homeHash('/a'), /^[0-9a-f]{8}$/);
  t.not(homeHash('/a'), homeHash('/b'));
});

t.test(
  'sockets live in the runtime directory, else in /run for root, else in /tmp, else at home',
  async (t) => {
    const hash = homeHash('/h');
    t.strictSame(runtimeDirCandidates('/h', { XDG_RUNTIME_DIR: '/run/user/7' }, 7), [
      `/run/user/7/gatewarden/${hash}`,
      `/tmp/gatewarden-7/${hash}`,
      '/h/state',
    ]);
    t.strictSame(runtimeDirCandidates('/h', { XDG_RUNTIME_DIR: 'relative' }, 0), [
      `/run/gatewarden/${hash}`,
      `/tmp/gatewarden-0/${hash}`,
      '/h/state',
    ]);
  },
);

t.test('a socket path is refused exactly when the kernel would cut it', async (t) => {
  const limit = process.platform === 'linux' ? 107 : 103;
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 150 }), fc.constantFrom('a', 'ü'), (length, letter) => {
      const directory = `/${letter.repeat(length)}`;
      const bytes = Buffer.byteLength(`${directory}/coder.sock`);
      try {
        return localSocketPath(directory, 'coder').length > 0 && bytes <= limit;
      } catch {
        return bytes > limit;
      }
    }),
  );
  t.throws(() => controlSocketPath(`/${'x'.repeat(120)}`), {
    code: 'socket-path-too-long',
    message: /expected a socket path of at most/,
  });
});

t.test('no profile can have the socket or the log directory of the supervisor', async (t) => {
  t.not(controlSocketPath('/r'), localSocketPath('/r', 'control'));
  t.not(homeLayout('/h').supervisorLogDir, profileLayout('/h', 'supervisor').logDir);
});

t.test('all paths of a home and of a profile lie in the home', async (t) => {
  for (const path of Object.values({ ...homeLayout('/h'), ...profileLayout('/h', 'one') })) {
    t.ok(path === '/h' || path.startsWith('/h/'), path);
  }
});
