import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { AgentSettings, GatewayAssignment } from '../../src/core/assignment.js';
import { bootWorker, type ForkedGateway, type GatewayPrimary } from './gateway-primary.js';

type Test = { teardown(action: () => unknown): unknown };

/** A worker that is ready as the profile of the assignment. */
export async function bootAs(
  t: Test,
  primary: GatewayPrimary,
  assignment: GatewayAssignment,
): Promise<{ worker: ForkedGateway; url: string }> {
  const worker = await bootWorker(t, primary);
  worker.assign(assignment);
  const { report } = await worker.said('ready');
  const url = report.listen.find((where) => where.startsWith('http')) ?? '';
  return { worker, url };
}

/** A program that answers once the file exists. */
export function waitsFor(file: string): AgentSettings {
  const argv = [
    'sh',
    '-c',
    // nor does it outlive a gateway that was killed
    `printf begun; while [ ! -e ${file} ] && kill -0 $PPID; do sleep 0.02; done; printf ' done'`,
  ];
  return { driver: 'command', argv, cwd: undefined, timeoutMs: 60_000, historyMessages: 5 };
}

export function ask(url: string, text: string): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Gatewarden-Session-Key': 'chat' },
    body: JSON.stringify({ messages: [{ role: 'user', content: text }] }),
  });
}

export async function textOf(response: Response): Promise<unknown> {
  const body = (await response.json()) as { choices?: [{ message: { content: string } }] };
  return body.choices?.[0].message.content ?? body;
}

export function sessionRow(home: string): unknown {
  const database = new Database(join(home, 'state', 'state.db'), { readonly: true });
  try {
    return database.prepare('SELECT resume_pending, resume_reason FROM sessions').get();
  } finally {
    database.close();
  }
}

export function isMarked(home: string): boolean {
  return (sessionRow(home) as { resume_pending?: number } | undefined)?.resume_pending === 1;
}
