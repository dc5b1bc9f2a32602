import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import t from 'tap';
import { homeHash } from '../../src/config/paths.js';
import { launchdLabel, s6SlotName, systemdUnitName } from '../../units/names.js';
import type { Subject } from '../../units/service.js';
import { temporaryFolderOf } from '../../units/temporary-home.js';
import { scratchHome } from '../support/run-cli.js';

const SUPERVISOR: Subject = { kind: 'supervisor' };
const gateway = (profile: string): Subject => ({ kind: 'gateway', profile });
const usual = { home: '/home/ada/.gatewarden', usualHome: '/home/ada/.gatewarden' };
const other = { ...usual, home: '/srv/gw' };

t.test('each service has the name that the docs promise', async (t) => {
  const hash = homeHash('/srv/gw');
  t.equal(systemdUnitName({ ...usual, subject: SUPERVISOR }), 'gatewarden.service');
  t.equal(systemdUnitName({ ...usual, subject: gateway('default') }), 'gatewarden-gateway.service');
  t.equal(
    systemdUnitName({ ...usual, subject: gateway('coder') }),
    'gatewarden-gateway-coder.service',
  );
  t.equal(systemdUnitName({ ...other, subject: SUPERVISOR }), `gatewarden-${hash}.service`);
  t.equal(
    systemdUnitName({ ...other, subject: gateway('coder') }),
    `gatewarden-gateway-coder-${hash}.service`,
  );
  t.equal(launchdLabel({ ...usual, subject: gateway('default') }), 'dev.gatewarden.gateway');
  t.equal(launchdLabel({ ...usual, subject: gateway('coder') }), 'dev.gatewarden.gateway-coder');
  t.equal(s6SlotName(gateway('default')), 'gateway-default');
  t.equal(s6SlotName(SUPERVISOR), 'gatewarden');
});

t.test('a home that a reboot empties is told from one that only looks like it', async (t) => {
  const inRun = ['/run/gatewarden', '/var/run/x', '/run/user/1000/gw'];
  for (const home of ['/tmp', '/tmp/x', '/var/tmp/a/b', '/private/var/folders/x', ...inRun]) {
    t.type(temporaryFolderOf(home), 'string', home);
  }
  for (const home of ['/home/ada/tmp', '/tmpfiles/x', '/srv/tmp/x']) {
    t.equal(temporaryFolderOf(home), undefined, home);
  }
  t.equal(temporaryFolderOf('/srv/run/gw', { XDG_RUNTIME_DIR: '/srv/run' }), '/srv/run');
});

t.test('a link does not make a temporary home a lasting one', async (t) => {
  const { root } = scratchHome(t);
  const place = [process.cwd(), homedir()].find((path) => temporaryFolderOf(path) === undefined);
  if (place === undefined) return t.comment('skipped: there is no lasting place');
  const link = join(mkdtempSync(join(place, '.gw-link-')), 'link');
  t.teardown(() => rmSync(dirname(link), { recursive: true }));
  symlinkSync(root, link);
  t.type(temporaryFolderOf(link), 'string');
  t.type(temporaryFolderOf(join(link, 'not', 'there', 'yet')), 'string');
});
