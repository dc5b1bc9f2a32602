import type { Hono } from 'hono';
import type { ApiMounts } from '../../guests/mounts.js';
import { guestAway, noRoute } from './errors.js';
import { type Env, errorResponse } from './outbound.js';

/** Each guest has routes, a key and runs of its own; nothing of one is found under another. */
export function mountGuests(app: Hono<Env>, mounts: ApiMounts): void {
  app.all('/p/:profile/*', (context) => {
    const profile = context.req.param('profile');
    const found = mounts.find(profile);
    switch (found.kind) {
      case 'api':
        return found.api.answer(context.req.raw, context.env);
      case 'away':
        return errorResponse(guestAway(profile));
      case 'unknown':
        return errorResponse(noRoute(context.req.path));
      default:
        return found satisfies never;
    }
  });
}
