import { DEFAULT_PROFILE } from '../../core/names.js';
import { claimEarly } from '../../gateway/early-claim.js';
import { type Context, hasFlag, type Invocation } from '../verb.js';

/**
 * One gateway in the foreground; the exit code is the gateway's own. Who is not needed learns so
 * before the rest is loaded.
 */
export async function run(invocation: Invocation, context: Context): Promise<number> {
  const early = await claim(invocation, context);
  if (early.kind === 'leave') return early.exitCode;
  const claimed = early.kind === 'claimed' ? early.claimed : undefined;
  try {
    const { serve } = await import('../gateway-run/serve.js');
    return await serve(invocation, context, claimed);
  } catch (thrown) {
    claimed?.lock.release();
    throw thrown;
  }
}

async function claim(invocation: Invocation, { home }: Context) {
  // who takes another's place, or runs beside it, has to know more first
  if (hasFlag(invocation, 'replace') || hasFlag(invocation, 'force')) {
    return { kind: 'open' } as const;
  }
  return await claimEarly({
    home,
    profile: invocation.profile ?? DEFAULT_PROFILE,
    writeLog: (line) => process.stdout.write(line),
  });
}
