import type { HostConfig } from '../../src/config/model.js';
import type { HomeLayout } from '../../src/config/paths.js';
import {
  chooseStderrStyle,
  createLogger,
  currentLogPath,
  type GuardedOutput,
  RotatingLog,
  streamIdOf,
} from '../../src/observability/index.js';
import type { LogLine } from '../events/describe-event.js';

const STDERR = 2;

/** The supervisor's own log: JSON in its file, readable lines on stderr. */
export interface SupervisorLog {
  write(line: LogLine): void;
  /** why its file cannot be written at present */
  readonly trouble: string | undefined;
  close(): Promise<void>;
}

export interface SupervisorLogFacts {
  readonly layout: HomeLayout;
  readonly host: HostConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** undefined: the file alone */
  readonly stderr: GuardedOutput | undefined;
}

export async function openSupervisorLog(facts: SupervisorLogFacts): Promise<SupervisorLog> {
  const { maxBytes, files, level } = facts.host.log;
  const path = currentLogPath(facts.layout.supervisorLogDir);
  const file = new RotatingLog({ path, maxBytes, files });
  const logger = await createLogger({
    level,
    file,
    stderr:
      facts.stderr === undefined
        ? undefined
        : {
            output: facts.stderr,
            style: chooseStderrStyle(facts.stderr.isTerminal, facts.env, streamIdOf(STDERR)),
          },
    color: facts.env.NO_COLOR === undefined,
  });
  return {
    write: ({ level: severity, message, fields }) => logger[severity](fields, message),
    get trouble() {
      return file.failing;
    },
    close: () => file.close(),
  };
}
