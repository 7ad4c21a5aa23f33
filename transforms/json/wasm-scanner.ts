/**
 * The scanner in WebAssembly with SIMD: three times as fast as the plain one on new text. It reads bytes that lie in its own
 * memory, where a task's slab is; for bytes elsewhere the plain scanner answers, with the same verdicts.
 */
import { ANY_NUMBER, createPlainScanner, MAX_DEPTH, type Scanner } from './scanner.ts';
import { SCANNER_WASM } from './wasm/scanner.wasm.ts';

interface Exports {
  value(at: number, end: number, room: number): number;
  string(at: number, end: number): number;
  failed_at(): number;
  too_deep(): number;
}

/** What is used of the global of this name; the libraries that declare it are those of browsers. */
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number; maximum: number }) => WasmMemory;
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
};

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

const PAGE_BYTES = 64 * 1024;
/** The module's own data and stack lie in the first page. */
const SLAB_AT = PAGE_BYTES;
/** Whole vectors may be read beyond the slab's end. */
const SLACK_BYTES = 64;
const MAX_PAGES = 32_768;

/** Strings of so many plain characters are over before the module is reached: most keys. */
const NEAR_BYTES = 24;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The index after the string whose opening quote is at `at` when it is short and plain ASCII; else -1. */
function shortStringEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== QUOTE) return -1;
  const last = Math.min(at + NEAR_BYTES, bytes.length - 1);
  for (let p = at + 1; p <= last; p++) {
    const byte = bytes[p] as number;
    if (byte === QUOTE) return p + 1;
    if (byte < 0x20 || byte > 0x7e || byte === BACKSLASH) return -1;
  }
  return -1;
}

/** Memory for one slab, which the scanners made here can read. One for each thread. */
export interface ScanMemory {
  /** The slab with this size; what it held stays as far as it fits. Every earlier view of it is void. */
  slab(bytes: number): Uint8Array;
  createScanner(maxDepth?: number): Scanner;
}

/** @returns undefined where WebAssembly or its SIMD is not to be had */
export function createScanMemory(): ScanMemory | undefined {
  try {
    return openMemory(new WebAssembly.Module(Buffer.from(SCANNER_WASM, 'base64')));
  } catch {
    return undefined;
  }
}

function openMemory(module: object): ScanMemory {
  let memory: WasmMemory;
  let wasm: Exports;
  let buffer: ArrayBuffer;
  let asked: Uint8Array | undefined; // the bytes that were asked about last: a line is asked about many times
  let isInside = false; // do they lie in the memory?
  let from = 0; // where they begin in it
  let end = 0;

  function isInMemory(bytes: Uint8Array): boolean {
    if (bytes !== asked) {
      asked = bytes;
      isInside = bytes.buffer === buffer;
      from = bytes.byteOffset;
      end = from + bytes.length;
    }
    return isInside;
  }

  function renew(): void {
    memory = new WebAssembly.Memory({ initial: 2, maximum: MAX_PAGES });
    wasm = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Exports;
    buffer = memory.buffer;
  }

  function slab(bytes: number): Uint8Array {
    const needed = SLAB_AT + bytes + SLACK_BYTES;
    if (buffer.byteLength > needed * 2) shrink(bytes);
    if (needed > buffer.byteLength) memory.grow(Math.ceil((needed - buffer.byteLength) / PAGE_BYTES));
    buffer = memory.buffer;
    asked = undefined;
    return new Uint8Array(buffer, SLAB_AT, bytes);
  }

  /** Memory that was grown for a giant line is given back: it cannot shrink, so a new one takes its place. */
  function shrink(bytes: number): void {
    const held = new Uint8Array(buffer, SLAB_AT, bytes);
    renew();
    memory.grow(Math.ceil((bytes + SLACK_BYTES) / PAGE_BYTES));
    buffer = memory.buffer;
    new Uint8Array(buffer, SLAB_AT).set(held);
  }

  function createScanner(maxDepth: number = MAX_DEPTH): Scanner {
    const plain = createPlainScanner(maxDepth);
    let failedAt = -1;
    let tooDeep = false;

    /** The end in the array of what the module found, an address; 0 is a failure. */
    function result(found: number): number {
      if (found !== 0) return found - from;
      failedAt = wasm.failed_at() - from;
      tooDeep = wasm.too_deep() !== 0;
      return -1;
    }

    function elsewhere(found: number): number {
      if (found < 0) {
        failedAt = plain.failedAt;
        tooDeep = plain.tooDeep;
      }
      return found;
    }

    return {
      value(bytes, at, depth) {
        if (!isInMemory(bytes)) return elsewhere(plain.value(bytes, at, depth));
        return result(wasm.value(from + at, end, Math.max(maxDepth - depth, 0)));
      },
      string(bytes, at) {
        const near = shortStringEnd(bytes, at);
        if (near >= 0) return near;
        if (!isInMemory(bytes)) return elsewhere(plain.string(bytes, at));
        return result(wasm.string(from + at, end));
      },
      fail(at) {
        failedAt = at;
        tooDeep = false;
        return -1;
      },
      get failedAt() {
        return failedAt;
      },
      get tooDeep() {
        return tooDeep;
      },
      crowdAt: -1,
      maxDepth,
      maxElements: ANY_NUMBER,
    };
  }

  renew();
  return { slab, createScanner };
}
