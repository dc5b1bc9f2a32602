/** A guest's API below the one that its server opened. */
export interface MountedApi {
  answer(request: Request, bindings: object): Response | Promise<Response>;
}

/** Where the server's own API is reached. */
export interface MountBase {
  readonly url: string;
  readonly host: string;
  readonly port: number;
}

export type Found =
  | { readonly kind: 'api'; readonly api: MountedApi }
  /** it starts, or starts again: worth another try */
  | { readonly kind: 'away' }
  | { readonly kind: 'unknown' };

/** As long as a supervisor holds connections for a successor. */
const AWAY_MS = 10_000;

/** The APIs of the profiles that this process serves besides its own: `/p/‹profile›/`. */
export class ApiMounts {
  readonly #apis = new Map<string, MountedApi>();
  readonly #away = new Map<string, number>();
  readonly #emptied = new Set<() => void>();
  #base: MountBase | undefined;

  /** undefined: the server has no API that a guest's could be a part of */
  get base(): MountBase | undefined {
    return this.#base;
  }

  opened(base: MountBase): void {
    this.#base = base;
  }

  mount(profile: string, api: MountedApi): void {
    this.#away.delete(profile);
    this.#apis.set(profile, api);
  }

  unmount(profile: string): void {
    this.#apis.delete(profile);
    if (this.#apis.size > 0) return;
    for (const settle of this.#emptied) settle();
    this.#emptied.clear();
  }

  /** It is expected here soon; until then its clients are told to try again. */
  expect(profile: string): void {
    this.#away.set(profile, performance.now() + AWAY_MS);
  }

  forget(profile: string): void {
    this.#away.delete(profile);
  }

  find(profile: string): Found {
    const api = this.#apis.get(profile);
    if (api !== undefined) return { kind: 'api', api };
    const untilMs = this.#away.get(profile) ?? 0;
    return performance.now() < untilMs ? { kind: 'away' } : { kind: 'unknown' };
  }

  /** Their answers leave by the server's connections: it must not close those before. */
  emptied(): Promise<void> {
    if (this.#apis.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#emptied.add(resolve));
  }
}

export function mountPath(profile: string): string {
  return `/p/${profile}`;
}
