import t from 'tap';
import { findOwnPlaces } from '../../../../src/containment/cgroup/own-place.js';

function mount(root: string, point: string, type: string, options = 'rw,nosuid'): string {
  return `40 30 0:37 ${root} ${point} ${options} shared:9 - ${type} ${type} rw,nsdelegate\n`;
}

const PURE = mount('/', '/sys/fs/cgroup', 'cgroup2');

t.test('the own cgroup is found wherever a hierarchy can be mounted', async (t) => {
  const at = (cgroup: string, mountinfo: string) => {
    const found = findOwnPlaces(cgroup, mountinfo);
    return found.kind === 'found' ? found.places[0].directory : found.because;
  };
  t.equal(at('0::/a.slice/b.service\n', PURE), '/sys/fs/cgroup/a.slice/b.service', 'pure');
  const hybrid = `8:pids:/\n1:name=systemd:/\n0::/\n`;
  const unified = mount('/', '/sys/fs/cgroup/unified', 'cgroup2');
  const v1 = mount('/', '/sys/fs/cgroup/cpu', 'cgroup');
  t.equal(at(hybrid, v1 + unified), '/sys/fs/cgroup/unified/', 'hybrid');
  t.equal(at('0::/\n', PURE), '/sys/fs/cgroup/', 'a container with a namespace of its own');
  const part = mount('/docker/abc', '/sys/fs/cgroup', 'cgroup2');
  t.equal(at('0::/docker/abc/init\n', part), '/sys/fs/cgroup/init', 'a part that is mounted');
  t.equal(at('0::/docker/abc\n', part), '/sys/fs/cgroup/', 'exactly that part');
  const odd = mount('/', '/mnt/with\\040blank', 'cgroup2');
  t.equal(at('0::/x\n', odd), '/mnt/with blank/x', 'an escaped path');
});

t.test('what cannot be found has a name', async (t) => {
  const because = (cgroup: string, mountinfo: string) => {
    const found = findOwnPlaces(cgroup, mountinfo);
    return found.kind === 'none' ? found.because : found.places[0].directory;
  };
  t.match(because('8:pids:/\n', PURE), /no cgroup v2$/);
  t.match(because('0::/x\n', ''), /no cgroup v2 hierarchy is mounted/);
  t.match(because('0::/../x\n', PURE), /outside of our cgroup namespace/);
  t.match(because('0::/other\n', mount('/docker/abc', '/sys/fs/cgroup', 'cgroup2')), /not in the/);
  t.match(because('0::/docker/abcd\n', mount('/docker/abc', '/a', 'cgroup2')), /not in the/);
  const hidden = PURE + mount('/', '/sys/fs/cgroup', 'tmpfs');
  t.match(because('0::/x\n', hidden), /no cgroup v2/, 'a newer mount hides the older one');
});

t.test('a read-only mount is told, and a second mount is found after it', async (t) => {
  const readOnly = mount('/', '/sys/fs/cgroup', 'cgroup2', 'ro,nosuid');
  const found = findOwnPlaces('0::/x\n', mount('/', '/run/cg', 'cgroup2') + readOnly);
  t.match(found, {
    places: [
      { directory: '/sys/fs/cgroup/x', isReadOnly: true },
      { directory: '/run/cg/x', isReadOnly: false },
    ],
  });
});
