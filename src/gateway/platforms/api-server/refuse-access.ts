import type { Context } from 'hono';
import { type Access, judgeAccess } from '../../http/access.js';
import { type ApiError, badRequest } from './errors.js';
import type { Env } from './outbound.js';

/** What is asked of a caller. */
export interface AccessRules {
  readonly settings: { readonly key: string | undefined };
  /** it has no key and others reach it: nobody may ask */
  readonly isClosed?: boolean;
}

export function refuseAccess(context: Context<Env>, rules: AccessRules): ApiError | undefined {
  if (rules.isClosed === true) return KEY_UNSET;
  const { key } = rules.settings;
  const { authorization, host } = context.env.incoming.headers;
  return toAccessError(judgeAccess({ key, authorization, host }));
}

/** What needs no key is refused all the same where a page of a browser was led here by DNS. */
export function refuseForeignHost(
  context: Context<Env>,
  { settings, isClosed }: AccessRules,
): ApiError | undefined {
  const isKeyless = settings.key === undefined && isClosed !== true;
  return isKeyless ? refuseAccess(context, { settings }) : undefined;
}

function toAccessError(access: Access): ApiError | undefined {
  switch (access.kind) {
    case 'granted':
      return undefined;
    case 'key-missing':
      return badRequest(
        'expected an API key: send Authorization: Bearer with the value of platforms.api_server.key',
        { status: 401, code: 'invalid_api_key' },
      );
    case 'key-wrong':
      return badRequest('the API key is not the one in platforms.api_server.key', {
        status: 401,
        code: 'invalid_api_key',
      });
    case 'host-foreign':
      return badRequest(
        `expected a Host of this machine (localhost, 127.0.0.1, [::1]) because no key is configured, got ${access.host}`,
        { status: 403, code: 'host_not_allowed' },
      );
    default:
      return access satisfies never;
  }
}

const KEY_UNSET = badRequest(
  'platforms.api_server.key of this profile is not set, and other machines reach this API',
  { status: 401, code: 'invalid_api_key' },
);
