import t from 'tap';
import { type Present, planWrites } from '../../units/plan.js';

const file = (path: string, text = 'x\n', mode = 0o644) => ({ path, text, mode });
const present = (...files: readonly ReturnType<typeof file>[]): Present =>
  new Map(files.map(({ path, text, mode }) => [path, { text, mode }]));

t.test('what is there as it should be is not written', async (t) => {
  const files = [file('/u/a', 'a\nb\n')];
  t.strictSame(planWrites({ files, folders: [] }, present(...files)), []);
});

t.test('blanks at the end of lines and of the file are no difference', async (t) => {
  const wanted = { files: [file('/u/a', 'a\nb\n')], folders: [] };
  t.strictSame(planWrites(wanted, present(file('/u/a', 'a  \nb\t\n\n'))), []);
});

t.test('what is missing is created, what differs replaced, a wrong mode corrected', async (t) => {
  const files = [file('/u/new'), file('/u/old', 'new\n'), file('/u/mode', 'x\n', 0o600)];
  const writes = planWrites(
    { files, folders: [] },
    present(file('/u/old', 'old\n'), file('/u/mode')),
  );
  t.strictSame(writes, [
    { kind: 'create', file: files[0] },
    { kind: 'replace', file: files[1], was: 'old\n' },
    { kind: 'chmod', file: files[2], was: 0o644 },
  ]);
});

t.test('what is the operator’s once written is created and never replaced', async (t) => {
  const kept = { ...file('/h/service.env', 'template\n', 0o600), keep: true };
  const wanted = { files: [kept], folders: [] };
  t.match(planWrites(wanted, present()), [{ kind: 'create' }]);
  t.strictSame(planWrites(wanted, present(file('/h/service.env', 'TOKEN=1\n', 0o600))), []);
  t.match(planWrites(wanted, present(file('/h/service.env', 'TOKEN=1\n', 0o644))), [
    { kind: 'chmod' },
  ]);
});

t.test('a slot that is not there is published whole, one that is there file by file', async (t) => {
  const files = [file('/s/slot/run'), file('/s/slot/log/run'), file('/s/slot-2/run')];
  const wanted = { files, folders: ['/s/slot', '/s/slot-2'] };
  t.strictSame(planWrites(wanted, present(files[2] ?? file(''))), [
    { kind: 'create-folder', folder: '/s/slot', files: files.slice(0, 2) },
  ]);
  t.match(planWrites(wanted, present(files[0] ?? file(''), files[2] ?? file(''))), [
    { kind: 'create', file: { path: '/s/slot/log/run' } },
  ]);
});
