/** What can run us; the folders of this layer have the same names. */
export const MANAGERS = ['systemd', 's6', 'launchd'] as const;
export type Manager = (typeof MANAGERS)[number];

export type Scope = 'user' | 'system';
