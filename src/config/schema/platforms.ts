import * as z from 'zod/mini';
import { DEFAULTS } from '../defaults.js';
import * as leaf from './leaves.js';

/** Platforms that the file format knows and this version does not have. */
export const PLATFORMS_TO_COME = ['relay', 'telegram', 'slack', 'discord', 'webhook'] as const;

export function platformsSchema() {
  return leaf.section(
    {
      api_server: z.exactOptional(apiServerSchema()),
      local: z.exactOptional(localSchema()),
      relay: toCome('relay'),
      telegram: toCome('telegram'),
      slack: toCome('slack'),
      discord: toCome('discord'),
      webhook: toCome('webhook'),
    },
    { about: 'where messages come from' },
  );
}

function apiServerSchema() {
  const { api_server } = DEFAULTS.platforms;
  return leaf.section(
    {
      enabled: leaf.flag({
        about: 'whether the API is served',
        byDefault: api_server.enabled,
      }),
      host: leaf.host({
        about: 'address to listen on; other than loopback needs a key',
        byDefault: api_server.host,
      }),
      port: leaf.port({
        about: 'port to listen on; 0 = any free one',
        byDefault: api_server.port,
      }),
      key: leaf.bearer({
        about: 'bearer key that callers must send',
        example: '${API_SERVER_KEY}',
      }),
      model: leaf.text({ about: 'the name in /v1/models; default: the profile name' }),
      max_concurrent: leaf.count(
        { about: 'requests answered at once', byDefault: api_server.max_concurrent },
        { min: 1, max: 10_000 },
      ),
      lifecycle_notices: lifecycleNotices(api_server.lifecycle_notices),
    },
    { about: 'the OpenAI-compatible HTTP API of the gateway' },
  );
}

function localSchema() {
  return leaf.section(
    {
      enabled: leaf.flag({
        about: 'whether `gatewarden chat` can talk to it',
        byDefault: DEFAULTS.platforms.local.enabled,
      }),
      lifecycle_notices: lifecycleNotices(DEFAULTS.platforms.local.lifecycle_notices),
    },
    { about: 'the terminal, over a unix socket' },
  );
}

function lifecycleNotices(byDefault: boolean) {
  return leaf.flag({
    about: 'whether chats with a turn in progress hear of a stop or a restart',
    byDefault,
  });
}

function toCome(name: (typeof PLATFORMS_TO_COME)[number]) {
  const about = `${name}: not in this version`;
  return z.exactOptional(
    leaf.section({ enabled: leaf.flag({ about, byDefault: false }) }, { about }),
  );
}
