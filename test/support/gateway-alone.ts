import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { GatewayAssignment } from '../../src/core/assignment.js';
import { packageFile } from '../../src/core/package-root.js';
import type { GatewayReport } from '../../src/core/work.js';
import { until, within } from './gateway-within.js';

type Test = { teardown(action: () => unknown): unknown };

const PROGRAM = packageFile('dist', 'test', 'fixtures', 'gateway-alone', 'main.js');

/** A gateway without a supervisor, in a process of its own. */
export class AloneGateway {
  readonly child: ChildProcess;
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  stdout = '';
  stderr = '';

  /** @param blocksOnceThereIs a path: its loop is watched, and stands still once that exists */
  constructor(t: Test, assignment: GatewayAssignment, blocksOnceThereIs?: string) {
    // the test runner's hooks would answer every signal in there, SIGXFSZ included
    const own = [JSON.stringify(assignment), ...[blocksOnceThereIs ?? []].flat()];
    const args = ['-u', 'NODE_OPTIONS', process.execPath, PROGRAM, ...own];
    this.child = spawn('env', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.exited = once(this.child, 'close').then(([code, signal]) => ({ code, signal }));
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    t.teardown(() => this.child.kill('SIGKILL'));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  async ready(): Promise<string> {
    const line = await until(() => /^ready (.*)$/m.exec(this.stdout)?.[1], `ready; ${this.stderr}`);
    const report = JSON.parse(line) as GatewayReport;
    return report.listen.find((where) => where.startsWith('http')) ?? '';
  }

  gone(): Promise<{ code: number | null; signal: string | null }> {
    return within(this.exited, `the exit; ${this.stdout} ${this.stderr}`);
  }
}
