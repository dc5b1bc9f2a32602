import t from 'tap';
import { Proofs, type ProvenPart } from '../../../../src/gateway/watch/proofs.js';
import { until } from '../../../support/gateway-within.js';

const POLICY = { proveMs: 10, provenWithinMs: 60 };

/** A part that does as it is told. */
class Part implements ProvenPart {
  readonly name: string;
  proof: () => Promise<void> = async () => {};
  reopening: () => Promise<void> = async () => {};
  proofs = 0;
  reopened = 0;

  constructor(name: string) {
    this.name = name;
  }
  prove(): Promise<void> {
    this.proofs++;
    return this.proof();
  }
  reopen(): Promise<void> {
    this.reopened++;
    return this.reopening();
  }
}

interface Test {
  teardown(action: () => unknown): unknown;
}

function watchOver(t: Test, ...parts: Part[]) {
  const troubles: [string, string | undefined][] = [];
  const onTrouble = (name: string, detail: string | undefined) => troubles.push([name, detail]);
  const proofs = new Proofs({ parts, policy: POLICY, onTrouble });
  t.teardown(() => proofs.stop());
  return { troubles, proofs };
}

const never = () => new Promise<void>(() => {});

t.test('a part that never gave a first proof is told and opened again, alone', async (t) => {
  const frozen = new Part('platform a');
  const well = new Part('platform b');
  frozen.proof = never;
  frozen.reopening = async () => {
    frozen.proof = async () => {};
  };
  const { troubles } = watchOver(t, frozen, well);
  await until(() => troubles.length === 2, 'it works again');
  t.match(troubles, [
    ['platform a', /^platform a has not worked for .*: no answer within 10ms$/],
    ['platform a', undefined],
  ]);
  t.equal(frozen.reopened, 1);
  t.equal(well.reopened, 0);
  t.ok(well.proofs > 1, 'the other is asked all the while');
});

t.test('one missed proof is forgiven', async (t) => {
  const part = new Part('platform a');
  part.proof = async () => {
    if (part.proofs % 3 === 0) throw new Error('busy');
  };
  const { troubles } = watchOver(t, part);
  await until(() => part.proofs > 12, 'a dozen proofs');
  t.strictSame(troubles, []);
});

t.test('one that cannot be opened again is told with the reason, and tried again', async (t) => {
  const part = new Part('platform a');
  part.proof = async () => {
    throw new Error('it is deaf');
  };
  part.reopening = async () => {
    if (part.reopened === 1) throw new Error('the port is taken');
    // hangs in its end, the second time
    await never();
  };
  const { troubles } = watchOver(t, part);
  await until(() => part.reopened > 2, 'a third try');
  t.match(troubles[0]?.[1], /it is deaf$/);
  t.match(troubles[1]?.[1], /could not be opened again: the port is taken$/);
  t.ok(troubles.some(([, detail]) => detail?.includes('no answer within 60ms')));
});

t.test('after a stop nobody is asked or told', async (t) => {
  const part = new Part('platform a');
  part.proof = never;
  const { troubles, proofs } = watchOver(t, part);
  await until(() => part.proofs === 1, 'the first question');
  proofs.stop();
  const other = new Part('platform b');
  watchOver(t, other);
  await until(() => other.proofs > 10, 'time has passed');
  t.equal(part.proofs, 1);
  t.strictSame(troubles, []);
});
