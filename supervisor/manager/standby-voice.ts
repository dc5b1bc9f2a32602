import { type ExtensionTimes, keepExtending, type ManagerVoice } from '../../src/manager/index.js';

/**
 * What a service manager hears while another owns the home: why we are not ready, and that we
 * are not stuck. However long it takes, the limit of our start moves along.
 */
export class StandbyVoice {
  readonly #open: () => ManagerVoice;
  readonly #times: ExtensionTimes | undefined;
  #voice: ManagerVoice | undefined;
  #stopExtending: () => void = () => undefined;

  /** The voice is opened only when there is something to wait for. */
  constructor(open: () => ManagerVoice, times?: ExtensionTimes) {
    this.#open = open;
    this.#times = times;
  }

  standsBy(owner: string): void {
    if (this.#voice === undefined) {
      this.#voice = this.#open();
      this.#stopExtending = keepExtending(this.#voice, Number.POSITIVE_INFINITY, this.#times);
    }
    this.#voice.tell({ code: 'status', status: `standing by: ${owner} owns the home` });
  }

  /** The home is ours, or will not be. */
  close(): void {
    this.#stopExtending();
    this.#voice?.close();
    this.#voice = undefined;
  }
}
