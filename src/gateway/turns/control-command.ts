/** What a person says to the gateway and not to the agent; done at once, also while a turn runs. */
export type ControlCommand = 'stop' | 'new' | 'restart';

const COMMANDS: Readonly<Record<string, ControlCommand>> = Object.freeze({
  '/stop': 'stop',
  '/new': 'new',
  '/reset': 'new',
  '/restart': 'restart',
});

/** The command that a message is; undefined for anything that is meant for the agent. */
export function parseControlCommand(text: string): ControlCommand | undefined {
  const word = text.trim().toLowerCase();
  return Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
}
