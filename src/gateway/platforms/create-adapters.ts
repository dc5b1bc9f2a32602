import type { GatewayAssignment } from '../../core/assignment.js';
import type { PlatformAdapter, PlatformHost } from './port.js';

/** Loads only the adapters that the profile enables. */
export async function createAdapters(
  assignment: GatewayAssignment,
  host: PlatformHost,
): Promise<PlatformAdapter[]> {
  const { apiServer, localSocket, servedApi } = assignment;
  const adapters: Promise<PlatformAdapter>[] = [];
  if (apiServer !== undefined) {
    adapters.push(
      import('./api-server/adapter.js').then((api) => api.createApiServer(apiServer, host)),
    );
  }
  const { mounts } = host;
  const base = mounts?.base;
  // a server without an API leaves nothing that a guest's could be a part of
  if (servedApi !== undefined && mounts !== undefined && base !== undefined) {
    adapters.push(
      import('./api-server/served.js').then((api) =>
        api.createServedApi(servedApi, host, { mounts, base }),
      ),
    );
  }
  if (localSocket !== undefined) {
    adapters.push(
      import('./local/adapter.js').then((local) => local.createLocal(localSocket, host)),
    );
  }
  return Promise.all(adapters);
}
