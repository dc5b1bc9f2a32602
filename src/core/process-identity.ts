/**
 * Names one process beyond doubt: a pid is reused, a pid with its start time and the boot
 * is not (field cases C2, supervision.md 4.6).
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** kernel clock ticks since boot (/proc/PID/stat field 22); undefined where there is no /proc */
  readonly startTicks: number | undefined;
  /** /proc/sys/kernel/random/boot_id; undefined where there is none */
  readonly bootId: string | undefined;
}

/** Same process, as far as both sides know; an unknown half is never proof of sameness. */
export function isSameProcess(left: ProcessIdentity, right: ProcessIdentity): boolean {
  return (
    left.pid === right.pid &&
    left.startTicks !== undefined &&
    left.startTicks === right.startTicks &&
    left.bootId === right.bootId
  );
}
