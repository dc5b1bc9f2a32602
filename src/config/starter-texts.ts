import { DEFAULTS } from './defaults.js';

/** Agent drivers that a starter profile can be written for. */
export const STARTER_DRIVERS = ['echo', 'openai', 'command'] as const;
export type StarterDriver = (typeof STARTER_DRIVERS)[number];

/** The host file with every setting as a comment: what stands there is what holds anyway. */
export function hostText(): string {
  const { start, stop, log } = DEFAULTS.supervisor;
  return `# Settings of this host. Everything is optional; what is commented out is the default.
# Ask for one with: gatewarden config explain supervisor.start.deadline_seconds

# supervisor:
#   start:
#     deadline_seconds: ${start.deadline_seconds}
#   stop:
#     kill_after_seconds: ${stop.kill_after_seconds}
#   log:
#     level: ${log.level}
#     max_size: ${log.max_size}
#     files: ${log.files}
#   control:
#     listen: 127.0.0.1:8640      # besides the unix socket; needs a token
#     token: \${CONTROL_TOKEN}     # from .env in this directory

# Anything that a profile may say, for all profiles:
# defaults:
#   drain_seconds: ${DEFAULTS.drain_seconds}
`;
}

export function profileText(driver: StarterDriver, port: number): string {
  return `# One profile: who answers, and where messages come from.
# Check it with: gatewarden config check

agent:
${AGENT_TEXTS[driver]}
platforms:
  # gatewarden chat
  local:
    enabled: true
  # OpenAI-compatible: http://${DEFAULTS.platforms.api_server.host}:${port}/v1
  api_server:
    enabled: true
    host: ${DEFAULTS.platforms.api_server.host}
    port: ${port}
    # key: \${API_SERVER_KEY}     # from .env; needed on any other address than loopback

# drain_seconds: ${DEFAULTS.drain_seconds}            # how long a stop waits for turns in progress
`;
}

export function envText(driver: StarterDriver): string {
  return `# Secrets of this profile: NAME=value, read by \${NAME} in config.yaml. Keep it at mode 0600.
${driver === 'openai' ? 'OPENAI_API_KEY=replace-this-with-your-key\n' : ''}`;
}

const AGENT_TEXTS: Readonly<Record<StarterDriver, string>> = {
  echo: `  # repeats what it is told; the others are openai and command
  driver: echo
`,
  openai: `  # any OpenAI-compatible endpoint
  driver: openai
  base_url: ${DEFAULTS.agent.openai.base_url}
  api_key: \${OPENAI_API_KEY}
  model: gpt-4.1-mini
  # system_prompt: You are a helpful assistant.
`,
  command: `  # a program per turn: the message on stdin, the answer on stdout; no shell
  driver: command
  command: ["cat"]
`,
};
