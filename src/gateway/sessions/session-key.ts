import { DEFAULT_PROFILE } from '../../core/names.js';

export interface SessionKeyParts {
  readonly profile: string;
  readonly platform: string;
  /** undefined: the platform has one conversation per user and no name for it */
  readonly chatId: string | undefined;
}

/**
 * `agent:‹namespace›:‹platform›:‹chat type›[:‹chat id›]` (spec/gateway-runtime.md 4.2). The
 * namespace keeps two profiles that talk to the same human apart.
 */
export function sessionKey(parts: SessionKeyParts): string {
  const chat = parts.chatId === undefined ? '' : `:${parts.chatId}`;
  return `agent:${namespaceOf(parts.profile)}:${parts.platform}:dm${chat}`;
}

const DEFAULT_NAMESPACE = 'main';

/** A profile literally named like the default namespace must not share it. */
function namespaceOf(profile: string): string {
  if (profile === DEFAULT_PROFILE) return DEFAULT_NAMESPACE;
  return profile === DEFAULT_NAMESPACE ? `${DEFAULT_NAMESPACE}~` : profile;
}
