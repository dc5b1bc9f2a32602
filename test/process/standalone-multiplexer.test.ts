import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { profileLayout } from '../../src/config/paths.js';
import { EXIT } from '../../src/core/exit-codes.js';
import { type LoneGateway, runAlone, untilReady } from '../support/lone-gateway.js';
import { runCli } from '../support/run-cli.js';
import { makeHome, profileFile, writeHomeFile } from '../support/supervised-home.js';
import { until } from '../support/until.js';
import { readEvidence } from '../support/watched-loop.js';

function hostFile(allowed: readonly string[]): string {
  return JSON.stringify({
    gateway: { multiplex_profiles: true, multiplex_profile_allowlist: allowed },
  });
}

function homeOf(t: Test): string {
  return makeHome(t, {
    'config.yaml': hostFile(['coder', 'broken']),
    ...profileFile('default', {}),
    ...profileFile('coder', {}),
    ...profileFile('writer', {
      agent: { driver: 'command', command: ['sleep', '600'] },
      turns: { inactivity_seconds: 1, warning_seconds: 0, note_seconds: 0 },
    }),
    // it has a port of its own: nobody else can serve it
    ...profileFile('broken', { platforms: { api_server: { enabled: true, port: 0 } } }),
  });
}

function recordOf(home: string, profile: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(home, 'profiles', profile, 'state', 'gateway.json'), 'utf8'));
}

function evidenceIn(home: string, profile: string): unknown[] {
  const { evidenceDir } = profileLayout(home, profile);
  return existsSync(evidenceDir) ? readEvidence(evidenceDir) : [];
}

function cli(home: string, ...args: string[]) {
  return runCli(['--home', home, ...args], { env: { XDG_RUNTIME_DIR: home }, input: 'hello' });
}

async function refusalOf(t: Test, home: string, profile: string): Promise<LoneGateway> {
  const refused = runAlone(t, { home, profile });
  t.strictSame(await refused.exited, { code: EXIT.config, signal: null }, refused.output());
  return refused;
}

t.test(
  'a default gateway without a supervisor serves the allowed profiles, and takes up new ones',
  { timeout: 400_000 },
  async (t) => {
    const home = homeOf(t);
    const server = runAlone(t, { home, profile: 'default' });
    await untilReady(server);
    await until('coder is served', () => server.output().includes('coder is served'));
    const mine = { pid: server.pid, multiplexer: true };
    t.match(recordOf(home, 'default'), { ...mine, served_profiles: ['coder'] });
    t.match(recordOf(home, 'coder'), { pid: server.pid, phase: 'serving' });
    t.match((await cli(home, 'chat', 'coder')).stdout, /hello/);
    t.match(server.output(), /broken cannot be served: /);

    const refused = await refusalOf(t, home, 'coder');
    t.match(refused.output(), /profile-served/);
    t.match(refused.output(), `pid ${server.pid} (`);
    const { code, stdout } = await cli(home, 'status');
    t.equal(code, 4, 'there is no supervisor');
    t.match(stdout, new RegExp(`default: pid ${server.pid} serves it, and coder`));
    t.match(stdout, new RegExp(`coder: served by the gateway of default, pid ${server.pid}`));

    const alone = runAlone(t, { home, profile: 'writer' });
    await untilReady(alone);
    alone.child.kill('SIGTERM');
    await alone.exited;

    writeHomeFile(home, 'config.yaml', hostFile(['coder', 'writer']));
    const late = await refusalOf(t, home, 'writer');
    t.match(late.output(), /profile-served/, 'it was told to look again');
    await until('writer is served', () => server.output().includes('writer is served'));
    t.match(recordOf(home, 'default'), { ...mine, served_profiles: ['coder', 'writer'] });

    await cli(home, 'chat', 'writer');
    // the thread writes it while the turn ends
    await until('there is evidence', () => evidenceIn(home, 'writer').length > 0);
    t.match(evidenceIn(home, 'writer'), [
      { kind: 'inactive-turn', profile: 'writer', pid: server.pid },
    ]);
    t.strictSame(evidenceIn(home, 'default'), [], 'whose turn it is has the evidence');

    const forced = runAlone(t, { home, profile: 'writer', args: ['--force', '--replace'] });
    t.strictSame(await forced.exited, { code: EXIT.config, signal: null }, forced.output());
    const out = 'keep writer out of gateway.multiplex_profile_allowlist';
    t.match(forced.output(), out, 'no flag takes it from the process that serves it');
    t.equal(server.child.exitCode, null, 'which is not ended for it');
    writeHomeFile(home, 'config.yaml', hostFile(['coder']));
    const own = runAlone(t, { home, profile: 'writer' });
    await untilReady(own);
    t.match(recordOf(home, 'default'), { ...mine, served_profiles: ['coder'] }, 'let go of');
    own.child.kill('SIGTERM');
    await own.exited;

    server.child.kill('SIGTERM');
    t.strictSame(await server.exited, { code: EXIT.done, signal: null });
    await untilReady(runAlone(t, { home, profile: 'coder' }));
  },
);
