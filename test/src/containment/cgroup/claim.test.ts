import t from 'tap';
import { claimPlace } from '../../../../src/containment/cgroup/claim.js';
import type { CgroupFiles } from '../../../../src/containment/cgroup/files.js';
import { parseOomKills, writeLimits } from '../../../../src/containment/cgroup/limits.js';
import { NO_LIMITS } from '../../../../src/containment/index.js';
import { rlimitSupport } from '../../../../src/containment/rlimits.js';
import { limitNotices } from '../../../../supervisor/containment/limit-notices.js';

const ORIGIN = '/cg/a.service';
const TREE = `${ORIGIN}/gatewarden-1`;

interface Recorded {
  readonly files: CgroupFiles;
  readonly log: string[];
}

/**
 * An interface directory as it was recorded of a delegated service on a host with controllers:
 * this machine has none to give.
 */
function recorded(
  present: Readonly<Record<string, string>>,
  refusals: Readonly<Record<string, string>> = {},
): Recorded {
  const log: string[] = [];
  const texts: Record<string, string> = { ...present };
  const act = (what: string) => {
    const refusal = refusals[what];
    log.push(refusal === undefined ? what : `${what} -> ${refusal}`);
    return refusal;
  };
  return {
    log,
    files: {
      read: (path) => texts[path],
      write: (path, text) => {
        const errno = act(`${text} > ${path}`);
        // what a node hands down appears in the nodes below it
        if (errno === undefined && path === `${ORIGIN}/cgroup.subtree_control`) {
          const file = `${TREE}/cgroup.controllers`;
          texts[file] = `${texts[file] ?? ''} ${text.slice(1)}`;
        }
        return errno;
      },
      makeDirectory: (path) => act(`mkdir ${path}`),
      removeDirectory: (path) => act(`rmdir ${path}`),
      give: (path) => act(`chown ${path}`),
      list: () => [],
    },
  };
}

function claim({ files }: Recorded, isReadOnly = false) {
  return claimPlace(
    { directory: ORIGIN, isReadOnly },
    { treeName: 'gatewarden-1', leafName: 'supervisor', pid: 42, files },
  );
}

const DELEGATED = {
  [`${ORIGIN}/cgroup.type`]: 'domain\n',
  [`${ORIGIN}/cgroup.procs`]: '',
  [`${ORIGIN}/cgroup.controllers`]: 'cpu memory pids\n',
};

t.test('in a delegated service every controller is handed down to the profiles', async (t) => {
  const host = recorded(DELEGATED);
  t.match(claim(host), {
    kind: 'claimed',
    claim: {
      tree: TREE,
      leaf: `${TREE}/supervisor`,
      limits: {
        memoryBytes: { kind: 'tree' },
        processes: { kind: 'tree' },
        cpus: { kind: 'tree' },
      },
    },
  });
  t.strictSame(host.log.slice(0, 3), [
    `mkdir ${TREE}`,
    `mkdir ${TREE}/supervisor`,
    `42 > ${TREE}/supervisor/cgroup.procs`,
  ]);
  t.ok(host.log.includes(`+memory > ${TREE}/cgroup.subtree_control`));
});

t.test('each refusal of the kernel becomes a named reason and leaves nothing behind', async (t) => {
  const table: [string, RegExp][] = [
    ['EACCES', /is not delegated to us/],
    ['EPERM', /is not delegated to us/],
    ['EROFS', /read-only/],
    ['ENOSPC', /may not have more cgroups/],
    ['EIO', /refused us \(EIO\)/],
  ];
  for (const [errno, text] of table) {
    t.match(claim(recorded(DELEGATED, { [`mkdir ${TREE}`]: errno })), { because: text });
  }
  const join = `42 > ${TREE}/supervisor/cgroup.procs`;
  const busy = recorded(DELEGATED, { [join]: 'EBUSY' });
  t.match(claim(busy), { because: /hands controllers down/ });
  t.strictSame(busy.log.slice(-2), [`rmdir ${TREE}/supervisor`, `rmdir ${TREE}`]);
  t.match(claim(recorded(DELEGATED), true), { because: /mounted read-only/ });
});

t.test('a controller that cannot be had has a reason, the rung stays', async (t) => {
  const reachOf = (host: Recorded) => {
    const result = claim(host);
    if (result.kind !== 'claimed') throw new Error(result.because);
    return result.claim.limits;
  };
  const none = reachOf(recorded({ ...DELEGATED, [`${ORIGIN}/cgroup.controllers`]: '' }));
  t.match(none.memoryBytes, { kind: 'process', because: /memory controller is not available/ });
  t.match(none.processes, { kind: 'none', because: /pids controller is not available/ });
  const shared = reachOf(recorded({ ...DELEGATED, [`${ORIGIN}/cgroup.procs`]: '7\n' }));
  t.match(shared.cpus, { kind: 'none', because: /other processes live in/ });
  const { [`${ORIGIN}/cgroup.type`]: _, ...root } = DELEGATED;
  t.match(reachOf(recorded(root)).cpus, { kind: 'none' }, 'the root of the host is not ours');
});

t.test('limits are written where controllers are, and only there', async (t) => {
  const limits = { memoryBytes: 512 * 2 ** 20, processes: 200, cpus: 0.5 };
  const tree = { kind: 'tree' } as const;
  const support = { memoryBytes: tree, processes: tree, cpus: tree };
  const host = recorded({}, { '50000 100000 > /cg/coder/cpu.max': 'EINVAL' });
  const refused = writeLimits('/cg/coder', limits, { support, files: host.files, isInner: true });
  t.strictSame(host.log, [
    '536870912 > /cg/coder/memory.max',
    '+memory > /cg/coder/cgroup.subtree_control',
    '200 > /cg/coder/pids.max',
    '50000 100000 > /cg/coder/cpu.max -> EINVAL',
  ]);
  t.strictSame(refused, ['cpu.max refused 50000 100000 (EINVAL)']);
  const without = recorded({});
  const none = { support: rlimitSupport('none here'), files: without.files, isInner: true };
  t.strictSame(writeLimits('/cg/coder', limits, none), []);
  t.strictSame(without.log, []);
});

t.test('a cgroup in which programs live hands nothing down: they could not join it', async (t) => {
  const tree = { kind: 'tree' } as const;
  const support = { memoryBytes: tree, processes: tree, cpus: tree };
  const host = recorded({});
  const limits = { ...NO_LIMITS, memoryBytes: 2 ** 30 };
  writeLimits('/cg/coder/turn-1', limits, { support, files: host.files, isInner: false });
  t.strictSame(host.log, ['1073741824 > /cg/coder/turn-1/memory.max']);
  const profile = recorded({});
  writeLimits('/cg/coder', NO_LIMITS, { support, files: profile.files, isInner: true });
  t.strictSame(
    profile.log,
    ['+memory > /cg/coder/cgroup.subtree_control'],
    'one without a limit of its own lets the kernel count by leaf',
  );
});

t.test('a limit that the host cannot hold is told to whoever set it', async (t) => {
  const limits = { memoryBytes: 1, toolMemoryBytes: 4, processes: 2, cpus: 3 };
  const notices = limitNotices(limits, rlimitSupport('no controllers'));
  t.match(notices, [
    /^limits\.memory holds for single processes only: no controllers/,
    /^limits\.tool_memory holds for single processes only: no controllers/,
    /^limits\.processes cannot be enforced: no controllers/,
    /^limits\.cpu cannot be enforced: no controllers/,
  ]);
  const unset = {
    memoryBytes: undefined,
    toolMemoryBytes: undefined,
    processes: undefined,
    cpus: undefined,
  };
  t.strictSame(limitNotices(unset, rlimitSupport('no controllers')), []);
});

t.test('out-of-memory kills are read from memory.events', async (t) => {
  t.equal(parseOomKills('low 0\nhigh 0\nmax 9\noom 2\noom_kill 3\noom_group_kill 0\n'), 3);
  t.equal(parseOomKills('oom 4\n'), 0);
  t.equal(parseOomKills(undefined), 0);
});
