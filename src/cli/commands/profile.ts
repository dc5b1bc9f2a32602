import { configInvalid } from '../../config/config-invalid.js';
import { addProfile, isPortFree, loadConfig } from '../../config/index.js';
import type { LoadedProfile } from '../../config/model.js';
import { homeLayout } from '../../config/paths.js';
import { GatewardenError } from '../../core/errors.js';
import { CLI_EXIT } from '../../core/exit-codes.js';
import { reach } from '../control/reach.js';
import { renderProfile, renderProfileList } from '../render/profiles.js';
import { selfCommand } from '../self-command.js';
import { unknownProfile } from '../unknown-profile.js';
import { type Context, hasFlag, type Invocation } from '../verb.js';
import { starterOptions, tellWritten } from './init.js';

export async function run(invocation: Invocation, context: Context): Promise<number> {
  switch (invocation.verb) {
    case 'profile list':
      return list(invocation, context);
    case 'profile add':
      return add(invocation, context);
    case 'profile show':
      return show(invocation, context);
    default: {
      const { removeProfile } = await import('./profile-remove.js');
      return removeProfile(invocation, context);
    }
  }
}

function list(invocation: Invocation, { env, home, terminal }: Context): number {
  const profiles = [...loadConfig(home, env).profiles.values()];
  if (hasFlag(invocation, 'json')) {
    terminal.out(JSON.stringify(profiles.map(listed)));
    return CLI_EXIT.done;
  }
  terminal.out(renderProfileList(profiles, terminal.paint));
  return CLI_EXIT.done;
}

async function add(invocation: Invocation, context: Context): Promise<number> {
  const { env, home, terminal } = context;
  const name = invocation.words[0] ?? '';
  const { profiles } = loadConfig(home, env);
  if (profiles.has(name)) {
    throw new GatewardenError('bad-argument', {
      expected: 'expected the name of a new profile',
      got: `${name}, which is there already`,
      hint: `see it with: gatewarden profile show ${name}`,
    });
  }
  const options = starterOptions(invocation);
  if (options.port !== undefined && !(await isPortFree(options.port))) {
    terminal.notice(
      `something listens on port ${options.port} of this machine right now: ${name} cannot start while it does`,
    );
  }
  tellWritten(await addProfile(home, { ...options, profile: name }, env), context);
  const added = loadConfig(home, env).profiles.get(name);
  const api = added?.kind === 'good' ? added.config.platforms.apiServer : undefined;
  if (api !== undefined) terminal.out(`its API will be at http://${api.host}:${api.port}`);
  // a supervisor that runs learns of a new directory when it is told to look
  const isSupervised = (await reach(home, env)).kind === 'answers';
  terminal.out(`next: ${selfCommand(home, env)} ${isSupervised ? 'reload' : 'up'}`);
  return CLI_EXIT.done;
}

function show(invocation: Invocation, { env, home, terminal }: Context): number {
  const name = invocation.words[0] ?? '';
  const profile = loadConfig(home, env).profiles.get(name);
  if (profile === undefined) throw unknownProfile(name, home);
  const isJson = hasFlag(invocation, 'json');
  if (profile.kind === 'bad') {
    if (isJson) terminal.out(JSON.stringify(profile));
    throw configInvalid(
      profile.problems,
      `correct ${homeLayout(home).profilesDir}/${name} and look again`,
    );
  }
  terminal.out(isJson ? JSON.stringify(profile.config) : renderProfile(profile.config, home));
  return CLI_EXIT.done;
}

function listed(profile: LoadedProfile): unknown {
  if (profile.kind === 'bad')
    return { name: profile.name, good: false, problems: profile.problems };
  const { agent, command, enabled, essential, name, platforms } = profile.config;
  return {
    name,
    good: true,
    enabled,
    essential,
    kind: command === undefined ? 'built-in' : 'command',
    driver: command === undefined ? agent.driver : null,
    port: command === undefined ? (platforms.apiServer?.port ?? null) : null,
  };
}
