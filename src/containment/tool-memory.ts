import { totalmem } from 'node:os';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** No build on an ordinary machine needs more, and the gateway must live beside it. */
const MOST_BYTES = 4 * GIB;
/** less starts no compiler */
const LEAST_BYTES = 64 * MIB;
/** where nothing tells how much there is */
const UNKNOWN_HOST_BYTES = GIB;

export interface ToolMemoryFacts {
  /** what the operator has set */
  readonly askedBytes: number | undefined;
  /** undefined: not known */
  readonly hostBytes: number | undefined;
  /** memory.max of what we live in; undefined: not known, or unlimited */
  readonly constrainedBytes: number | undefined;
}

/**
 * The most memory of one command with its tree, where a controller holds the tree to it
 * (spec/supervision.md 5.1): a hungry build is ended before the kernel has to choose among
 * builds and the gateway. Pure.
 */
export function judgeToolMemory(facts: ToolMemoryFacts): number {
  const { askedBytes, constrainedBytes, hostBytes } = facts;
  if (askedBytes !== undefined) return askedBytes;
  const halfOfHost = hostBytes === undefined ? undefined : Math.floor(hostBytes / 2);
  const known = [constrainedBytes, halfOfHost].filter((bytes) => bytes !== undefined);
  if (known.length === 0) return UNKNOWN_HOST_BYTES;
  return Math.max(LEAST_BYTES, Math.min(MOST_BYTES, ...known));
}

export function toolMemoryHere(askedBytes: number | undefined): number {
  // 0 or undefined: unknown; more than there is: unlimited
  const constrained = process.constrainedMemory() ?? 0;
  const hostBytes = totalmem();
  const isLimit = constrained > 0 && constrained <= hostBytes;
  return judgeToolMemory({
    askedBytes,
    hostBytes,
    constrainedBytes: isLimit ? constrained : undefined,
  });
}
