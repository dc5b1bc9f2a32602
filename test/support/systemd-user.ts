import type { Ran, RunOptions } from './run-program.js';
import { Systemd } from './systemd.js';

/** The manager of an account in the guest: everything is asked as that account, not as root. */
export class UserSystemd extends Systemd {
  readonly account: string;
  readonly uid: string;

  private constructor(leader: number, account: string, uid: string) {
    super(leader);
    this.account = account;
    this.uid = uid;
  }

  static async of(systemd: Systemd, account: string): Promise<UserSystemd> {
    const uid = (await systemd.do('id', '-u', account)).trim();
    return new UserSystemd(systemd.leader, account, uid);
  }

  get home(): string {
    return `/home/${this.account}`;
  }

  /** As after `su`: nothing of a login is in the environment. */
  override run(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const become = ['setpriv', '--reuid', this.uid, '--regid', this.uid, '--init-groups', '--'];
    const { account, home } = this;
    const env = { HOME: home, USER: account, LOGNAME: account, ...options.env };
    return super.run([...become, ...argv], { ...options, env });
  }

  override systemctl(...args: string[]): Promise<Ran> {
    const env = { XDG_RUNTIME_DIR: `/run/user/${this.uid}` };
    return this.run(['systemctl', '--user', '--no-pager', ...args], { env });
  }

  /**
   * As root, for an account may not read a journal that is kept in memory; and by its fields, for
   * `--user-unit` means units of whoever asks. What the service said, and what was said about it.
   */
  override async journal(unit: string, ...args: string[]): Promise<string> {
    const ours = [`_SYSTEMD_USER_UNIT=${unit}`, '+', `USER_UNIT=${unit}`];
    const { stdout } = await super.run(['journalctl', '--no-pager', ...ours, ...args]);
    return stdout;
  }

  /** What the account's own command line says. */
  gatewardenOf(...args: string[]): Promise<Ran> {
    return this.run(['gatewarden', ...args]);
  }
}
