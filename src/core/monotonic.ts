/** Never set back, and the same in every thread of the process, which `performance.now()` is not. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
