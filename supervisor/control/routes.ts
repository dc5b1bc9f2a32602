import { VERBS, type Verb } from '../../src/core/events.js';

export type Route =
  | { readonly kind: 'status' }
  | { readonly kind: 'verb'; readonly profile: string; readonly verb: Verb }
  | { readonly kind: 'reload' }
  | { readonly kind: 'job'; readonly id: string }
  | { readonly kind: 'events' }
  | { readonly kind: 'history' }
  | { readonly kind: 'metrics' }
  | { readonly kind: 'page' };

export type RouteMatch =
  | { readonly kind: 'route'; readonly route: Route }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'wrong-method'; readonly allow: string };

interface RouteRow {
  readonly method: 'GET' | 'POST';
  /** a segment that begins with `:` takes anything but a slash */
  readonly path: string;
  readonly toRoute: (values: readonly string[]) => Route;
}

/** Every route there is (design §11). Ending the supervisor is its manager's business, so no route does. */
const ROUTES: readonly RouteRow[] = [
  { method: 'GET', path: '/v1/status', toRoute: () => ({ kind: 'status' }) },
  ...VERBS.map(
    (verb): RouteRow => ({
      method: 'POST',
      path: `/v1/profiles/:name/${verb}`,
      toRoute: ([profile = '']) => ({ kind: 'verb', profile, verb }),
    }),
  ),
  { method: 'POST', path: '/v1/reload', toRoute: () => ({ kind: 'reload' }) },
  { method: 'GET', path: '/v1/jobs/:id', toRoute: ([id = '']) => ({ kind: 'job', id }) },
  { method: 'GET', path: '/v1/events', toRoute: () => ({ kind: 'events' }) },
  { method: 'GET', path: '/v1/history', toRoute: () => ({ kind: 'history' }) },
  { method: 'GET', path: '/metrics', toRoute: () => ({ kind: 'metrics' }) },
  { method: 'GET', path: '/', toRoute: () => ({ kind: 'page' }) },
];

/** `GET /v1/status` and so on, for the page that lists them. */
export const ROUTE_NAMES: readonly string[] = ROUTES.map(({ method, path }) => `${method} ${path}`);

export function matchRoute(method: string, path: string): RouteMatch {
  const asked = method === 'HEAD' ? 'GET' : method;
  const allow = new Set<string>();
  for (const row of ROUTES) {
    const values = matchPath(row.path, path);
    if (values === undefined) continue;
    if (row.method === asked) return { kind: 'route', route: row.toRoute(values) };
    allow.add(row.method);
  }
  return allow.size === 0
    ? { kind: 'unknown' }
    : { kind: 'wrong-method', allow: [...allow].join(', ') };
}

function matchPath(pattern: string, path: string): string[] | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const values: string[] = [];
  for (const [index, segment] of wanted.entries()) {
    const part = given[index] ?? '';
    if (!segment.startsWith(':')) {
      if (segment !== part) return undefined;
      continue;
    }
    const value = decode(part);
    if (value === undefined || value === '') return undefined;
    values.push(value);
  }
  return values;
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
