import { randomBytes } from 'node:crypto';
import type { Containment } from '../../containment/index.js';
import { TURN_VARIABLE } from '../../core/scope.js';
import { HeldScope } from './held-scope.js';
import type { ProcessLimits } from './limits.js';
import type { Notifier } from './notifier.js';
import { identityAtSpawn, type StartOrder, toFacts } from './process-facts.js';
import { spawnChild, toSpawnRefusal } from './spawn-child.js';
import { SpawnedProcess } from './spawned-process.js';
import type { ToolProcess } from './tool-process.js';
import type { OpenTurn } from './turn-claims.js';

export interface StartParts {
  readonly limits: ProcessLimits;
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly containment: () => Containment;
  readonly notifier: Notifier;
  readonly find: (id: string) => ToolProcess | undefined;
  readonly onEnd: (process: ToolProcess) => void;
}

const ID_BYTES = 4;

/** Starts a command in a scope of its own; nothing of it stays when that fails. @throws ToolRefusal */
export function startProcess(order: StartOrder, turn: OpenTurn, parts: StartParts): ToolProcess {
  const { containment, env, find, limits, notifier, onEnd, secrets } = parts;
  const id = `proc-${randomBytes(ID_BYTES).toString('hex')}`;
  const scope = containment().openScope(`${turn.owner.turnId}.${id}`);
  try {
    const owned = { ...env, [TURN_VARIABLE]: turn.owner.turnId };
    const child = spawnChild(scope, { ...order, env: owned });
    const held = new HeldScope(scope);
    const identity = identityAtSpawn(child.pid ?? 0);
    const facts = toFacts(order, turn, { id, identity, scope: held });
    const watch = notifier.watch(order.watchPatterns, () => find(id));
    const process: SpawnedProcess = new SpawnedProcess({
      facts,
      child,
      scope: held,
      limits,
      secrets,
      onText: watch.take,
      onEnd: () => {
        watch.end();
        onEnd(process);
      },
    });
    return process;
  } catch (thrown) {
    scope.dispose();
    throw toSpawnRefusal(thrown);
  }
}
