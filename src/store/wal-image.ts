/**
 * A database and its write-ahead log, merged in memory as SQLite's own recovery would
 * (https://www.sqlite.org/fileformat2.html#walformat). SQLite cannot read a database in WAL mode
 * without creating or changing files beside it; a reader that must leave no trace can.
 */
export function mergeWal(main: Buffer, wal: Buffer): Buffer {
  const frames = committedFrames(wal);
  if (frames === undefined) return asRollbackMode(Buffer.from(main));
  const { pageSize, pageCount, pages } = frames;
  const image = Buffer.alloc(pageCount * pageSize);
  main.copy(image, 0, 0, Math.min(main.length, image.length));
  for (const [pageNumber, page] of pages) page.copy(image, (pageNumber - 1) * pageSize);
  return asRollbackMode(image);
}

const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;

interface CommittedFrames {
  readonly pageSize: number;
  /** of the whole database after the last commit */
  readonly pageCount: number;
  /** newest content by page number */
  readonly pages: ReadonlyMap<number, Buffer>;
}

/** Undefined when the log holds no commit: empty, cut short, or from before the last checkpoint. */
function committedFrames(wal: Buffer): CommittedFrames | undefined {
  if (wal.length < WAL_HEADER_BYTES) return undefined;
  const magic = wal.readUInt32BE(0);
  // the lowest bit names the byte order of the checksums, not of the fields
  if ((magic & ~1) >>> 0 !== MAGIC) return undefined;
  const sum = new Checksum((magic & 1) === 1);
  sum.add(wal.subarray(0, 24));
  if (!sum.equals(wal.readUInt32BE(24), wal.readUInt32BE(28))) return undefined;
  return collectFrames(wal, wal.readUInt32BE(8), sum);
}

function collectFrames(wal: Buffer, pageSize: number, sum: Checksum): CommittedFrames | undefined {
  const committed = new Map<number, Buffer>();
  let uncommitted: [number, Buffer][] = [];
  let pageCount = 0;
  const frameBytes = FRAME_HEADER_BYTES + pageSize;
  for (let at = WAL_HEADER_BYTES; at + frameBytes <= wal.length; at += frameBytes) {
    const header = wal.subarray(at, at + FRAME_HEADER_BYTES);
    const page = wal.subarray(at + FRAME_HEADER_BYTES, at + frameBytes);
    // other salts: a frame of an earlier round of the log
    if (!header.subarray(8, 16).equals(wal.subarray(16, 24))) break;
    sum.add(header.subarray(0, 8));
    sum.add(page);
    if (!sum.equals(header.readUInt32BE(16), header.readUInt32BE(20))) break;
    uncommitted.push([header.readUInt32BE(0), page]);
    if (header.readUInt32BE(4) === 0) continue;
    pageCount = header.readUInt32BE(4);
    for (const [pageNumber, content] of uncommitted) committed.set(pageNumber, content);
    uncommitted = [];
  }
  if (pageCount === 0) return undefined;
  for (const pageNumber of committed.keys()) {
    if (pageNumber > pageCount) committed.delete(pageNumber);
  }
  return { pageSize, pageCount, pages: committed };
}

/** Bytes 18 and 19 say 2 for WAL, which an image in memory cannot be. */
function asRollbackMode(image: Buffer): Buffer {
  if (image.length >= 20) {
    image[18] = 1;
    image[19] = 1;
  }
  return image;
}

class Checksum {
  readonly #bigEndian: boolean;
  #first = 0;
  #second = 0;

  constructor(bigEndian: boolean) {
    this.#bigEndian = bigEndian;
  }

  add(bytes: Buffer): void {
    for (let at = 0; at + 8 <= bytes.length; at += 8) {
      this.#first = (this.#first + this.#word(bytes, at) + this.#second) >>> 0;
      this.#second = (this.#second + this.#word(bytes, at + 4) + this.#first) >>> 0;
    }
  }

  equals(first: number, second: number): boolean {
    return this.#first === first && this.#second === second;
  }

  #word(bytes: Buffer, at: number): number {
    return this.#bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
  }
}
