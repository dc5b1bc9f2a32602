/** `YYYYMMDD_HHMMSS_` (UTC) and 8 hex: sorts by time, and names a session in files and headers. */
export function sessionId(now: number, random: Uint8Array): string {
  const digits = new Date(now).toISOString().replace(/[-:]/g, '');
  const [date = '', time = ''] = digits.slice(0, 15).split('T');
  return `${date}_${time}_${Buffer.from(random.subarray(0, 4)).toString('hex')}`;
}
