import t from 'tap';
import { type ClaimFacts, judgeClaim } from '../../units/claim.js';
import { generatedNote } from '../../units/generated-file.js';

const NOTE = `# ${generatedNote('gatewarden units install systemd')}\n`;
const ADA = { home: '/home/ada/.gatewarden', accountName: 'ada' };

const judge = (facts: Partial<ClaimFacts>) =>
  judgeClaim(
    { texts: ['x'], hasMore: false, home: undefined, accountName: undefined, ...facts },
    ADA,
  ).kind;

t.test('only what says that this home is its own is ours', async (t) => {
  t.equal(judge({ home: ADA.home }), 'ours');
  t.equal(judge({ home: '/srv/other', texts: [NOTE] }), 'other-home');
  t.equal(judge({}), 'foreign');
});

t.test('what says nothing at all, or bears our mark, is damaged and can be taken', async (t) => {
  t.equal(judge({ texts: ['', '\0\0'] }), 'damaged');
  t.equal(judge({ texts: [''], hasMore: true }), 'foreign', 'files of somebody are beside it');
  t.equal(judge({ texts: [NOTE] }), 'damaged');
  t.equal(judge({ texts: [NOTE], accountName: 'ada' }), 'damaged');
  t.equal(judge({ texts: [NOTE], accountName: 'bob' }), 'foreign', 'of another account');
  t.equal(judge({ texts: [`[Unit]\n[Service]\n${NOTE}`] }), 'foreign', 'a mark that was quoted');
});
