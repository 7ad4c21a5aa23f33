/**
 * Walks over one zstd frame without decoding it (RFC 8878 §3.1.1), to find its end from the header and the sizes of the
 * blocks. No decoder reports where a frame ends: node:zlib stops silently after the first one.
 */

/**
 * Reasons to reject a frame before decoding: dictionaries, and windows over the zstd program's own limit of 2^27 bytes.
 */
export type FrameFault = 'damaged' | 'dictionary' | 'window';
export type RefuseFrame = (why: FrameFault, what: string) => Error;

export interface FrameWalk {
  /** Walks over bytes and returns how many of them belong to the frame. Throws the error that `refuse` creates. */
  take(bytes: Uint8Array): number;
  readonly ended: boolean;
  /** Size of the content, if the header has it; known at the end. */
  readonly contentBytes: number | undefined;
}

export const MAX_WINDOW_BYTES: number = 2 ** 27;
const MAX_BLOCK_BYTES = 128 * 1024;
const MAGIC_BYTES = 4;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const;
const SINGLE_SEGMENT = 0x20;
const RESERVED = 0x08;
const CHECKSUM = 0x04;
const CHECKSUM_BYTES = 4;
const RLE = 1;
const UNKNOWN = 3;
/** Size of the longest item that has to be kept: a header without its magic number and its first byte. */
const MAX_KEPT_BYTES = 16;

/** The number of bytes of the next item, and whether its content is needed. */
interface Step {
  readonly bytes: number;
  readonly keep: boolean;
}
const look = (bytes: number): Step => ({ bytes, keep: true });
const pass = (bytes: number): Step => ({ bytes, keep: false });

/** Begins at the frame's magic number, which the caller has already recognised. */
export function walkFrame(refuse: RefuseFrame): FrameWalk {
  const facts: Facts = { contentBytes: undefined };
  const steps = stepsOf(refuse, facts);
  const kept = Buffer.alloc(MAX_KEPT_BYTES);
  let step = steps.next(kept);
  let have = 0;
  return {
    get ended() {
      return step.done === true;
    },
    get contentBytes() {
      return facts.contentBytes;
    },
    take(bytes) {
      let at = 0;
      while (step.done !== true && at < bytes.length) {
        const count = Math.min(step.value.bytes - have, bytes.length - at);
        if (step.value.keep) kept.set(bytes.subarray(at, at + count), have);
        at += count;
        have += count;
        if (have < step.value.bytes) break;
        have = 0;
        step = steps.next(kept);
      }
      return at;
    },
  };
}

interface Facts {
  contentBytes: number | undefined;
}

function* stepsOf(refuse: RefuseFrame, facts: Facts): Generator<Step, void, Buffer> {
  yield pass(MAGIC_BYTES);
  const flags = (yield look(1)).readUInt8();
  if ((flags & RESERVED) !== 0) throw refuse('damaged', 'a reserved header flag is set');
  const single = (flags & SINGLE_SEGMENT) !== 0;
  const idBytes = DICTIONARY_ID_BYTES[(flags & 3) as 0 | 1 | 2 | 3];
  const sizeBytes = [single ? 1 : 0, 2, 4, 8][flags >> 6] as number;
  const windowBytes = single ? 0 : 1;
  const header = yield look(windowBytes + idBytes + sizeBytes);
  const id = idBytes === 0 ? 0 : header.readUIntLE(windowBytes, idBytes);
  if (id !== 0) throw refuse('dictionary', `it needs dictionary ${id}, and dictionaries are not supported`);
  facts.contentBytes = contentSize(header.subarray(windowBytes + idBytes), sizeBytes);
  const window = single ? (facts.contentBytes as number) : windowSize(header.readUInt8());
  if (window > MAX_WINDOW_BYTES)
    throw refuse('window', `its window of ${window} bytes is over ${MAX_WINDOW_BYTES}`);

  for (let last = false; !last; ) {
    const block = (yield look(3)).readUIntLE(0, 3);
    last = (block & 1) === 1;
    const [type, size] = [(block >> 1) & 3, block >> 3];
    if (type === UNKNOWN) throw refuse('damaged', 'a block has an unknown type');
    if (size > MAX_BLOCK_BYTES) throw refuse('damaged', `a block of ${size} bytes is too large`);
    const bytes = type === RLE ? 1 : size;
    if (bytes > 0) yield pass(bytes);
  }
  if ((flags & CHECKSUM) !== 0) yield pass(CHECKSUM_BYTES);
}

function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

function contentSize(bytes: Buffer, count: number): number | undefined {
  if (count === 0) return undefined;
  if (count === 8) return Number(bytes.readBigUInt64LE());
  return bytes.readUIntLE(0, count) + (count === 2 ? 256 : 0);
}
