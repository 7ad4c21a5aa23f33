/**
 * The scanner in WebAssembly with SIMD: three times as fast as the plain one on new text. It can read only its own
 * memory, where a task's slab is; bytes elsewhere, such as JSON inside strings, are read by the plain one, with the same
 * results.
 */
import type { ShortcutExports, ShortcutHost } from '../shortcut/shortcut-module.ts';
import { BACKSLASH, DELETE, QUOTE, SPACE } from './bytes.ts';
import { createPlainScanner, PlainScanner } from './plain-scanner.ts';
import type { Scanner, Tape } from './scanner.ts';
import { MAX_TAPE_ROWS, ROW_NUMBERS } from './value-tape.ts';
import { compiledModule, exportsOf } from './wasm/module.ts';
import { SCANNER_WASM } from './wasm/scanner.wasm.ts';

/** Exports of the module. */
interface Exports extends ShortcutExports {
  readonly memory: WasmMemory;
  value(at: number, end: number, room: number): number;
  tape(at: number, end: number, room: number, base: number): number;
  tape_at(): number;
  tape_length(): number;
  tape_has_escapes(): number;
  failed_at(): number;
  too_deep(): number;
}

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

const NO_ROWS = new Int32Array(0);
const PAGE_BYTES = 64 * 1024;
/** Size of the arena, for the messages of a session. Pages that are never written take no memory. */
const ARENA_BYTES = 32 * 1024 * 1024;
/** Vector loads may reach beyond the end of the slab. */
export const SLACK_BYTES = 64;
/** Enough for the module's data, the arena and a slab. */
const FIRST_PAGES = 900;
/** With more spare memory than this, the memory is replaced by a smaller one. */
const MAX_SPARE_BYTES = 8 * 1024 * 1024;

/** The compiled module; threads of a process can share it. */
export type CompiledScanner = object;

let compiled: CompiledScanner | undefined;
let memory: ScanMemory | undefined;

/** The compiled module, to share with another thread; undefined if WebAssembly is not available. */
export function compiledScanner(): CompiledScanner | undefined {
  compiled ??= compileScanner();
  return compiled;
}

/**
 * Returns the exports of another instance, for what reads no lines.
 * @throws if WebAssembly or its SIMD is not available, or there is no room for its memory
 */
export function ownInstance<Own>(): Own {
  const host = { judge_row: notHosted, read_tools: notHosted, read_time: notHosted };
  return exportsOf<Own>(compiledScanner() as CompiledScanner, { host });
}

function notHosted(): never {
  throw new Error('this instance has no host');
}

/** Uses the module that another thread compiled. Call it before the first scanner of this thread is created. */
export function takeCompiledScanner(from: CompiledScanner | undefined): void {
  compiled ??= from;
}

/** This thread's memory, created on first use; undefined if WebAssembly is not available. */
function scanMemory(): ScanMemory | undefined {
  memory ??= createScanMemory(compiledScanner());
  return memory;
}

/**
 * Lends the memory of this thread to one reader at a time, until `giveBack`. Undefined if it is not available, or if
 * another reader of this thread has it (the library can run two builds at once): the slab is then outside of it.
 */
export function borrowScanMemory(): ScanMemory | undefined {
  const free = scanMemory();
  if (free === undefined || free.isLent) return undefined;
  free.isLent = true;
  return free;
}

/** A scanner for the lines of logs. The limits are those of `createPlainScanner`. */
export function createScanner(maxDepth?: number, maxElements?: number): Scanner {
  return scanMemory()?.createScanner(maxDepth, maxElements) ?? createPlainScanner(maxDepth, maxElements);
}

/** @returns undefined if WebAssembly or its SIMD is not available */
function compileScanner(): CompiledScanner | undefined {
  try {
    return compiledModule(SCANNER_WASM);
  } catch {
    return undefined;
  }
}

/** @returns undefined if WebAssembly or its SIMD is not available, or there is no room for the memory */
export function createScanMemory(
  module: CompiledScanner | undefined = compileScanner(),
): ScanMemory | undefined {
  try {
    return module && new ScanMemory(module);
  } catch {
    return undefined;
  }
}

/**
 * The memory of the module: its data, its stack, the arena of the shortcut, and one slab, which the scanners created here
 * can read. One per thread.
 */
export class ScanMemory {
  exports!: Exports;
  buffer!: ArrayBuffer;
  /** Span in the memory of the last argument of `has`. */
  from = 0;
  end = 0;
  /** Has a reader borrowed it? */
  isLent = false;
  readonly #module: CompiledScanner;
  #memory!: WasmMemory;
  /** Address of the slab: after the module's data, its stack and the arena. */
  #slabAt = 0;
  /** The last argument of `has`, which is called many times for a line. */
  #checked: Uint8Array | undefined;
  /** Are those bytes in the memory? */
  #isInside = false;
  #host: ShortcutHost | undefined;
  #tapeRows = NO_ROWS;

  constructor(module: CompiledScanner) {
    this.#module = module;
    this.#begin();
  }

  get arenaEnd(): number {
    return this.#slabAt - SLACK_BYTES;
  }

  /** Sets the host that the shortcut calls. Another host invalidates the numbers of tool definitions. */
  setHost(next: ShortcutHost): void {
    if (next !== this.#host) this.exports.forget_tools();
    this.#host = next;
  }

  /** The rows that the module wrote for the last tape; it overwrites them when it writes the next one. */
  get tapeRows(): Int32Array {
    if (this.#tapeRows.buffer !== this.buffer)
      this.#tapeRows = new Int32Array(this.buffer, this.exports.tape_at(), MAX_TAPE_ROWS * ROW_NUMBERS);
    return this.#tapeRows;
  }

  giveBack(): void {
    this.isLent = false;
  }

  createScanner(maxDepth?: number, maxElements?: number): Scanner {
    return new MemoryScanner(this, maxDepth, maxElements);
  }

  /** Are the bytes in the memory? If so, sets `from` and `end` to their span. */
  has(bytes: Uint8Array): boolean {
    if (bytes !== this.#checked) {
      this.#checked = bytes;
      this.#isInside = bytes.buffer === this.buffer;
      this.from = bytes.byteOffset;
      this.end = this.from + bytes.length;
    }
    return this.#isInside;
  }

  /** Resizes the slab and keeps as much of its content as fits. Invalidates all earlier views. */
  readonly slab = (bytes: number): Uint8Array => {
    const isSpacious = this.buffer.byteLength - this.#slabAt > MAX_SPARE_BYTES + (bytes + SLACK_BYTES) * 2;
    if (isSpacious) this.#shrink(bytes);
    else this.#reserve(bytes);
    this.#checked = undefined;
    return new Uint8Array(this.buffer, this.#slabAt, bytes);
  };

  #begin(): void {
    const current = (): ShortcutHost => this.#host as ShortcutHost;
    const host = {
      judge_row: (at: number, length: number) => current().judgeRow(at, length),
      read_tools: (at: number, end: number) => current().readTools(at, end),
      read_time: (at: number, end: number) => current().readTime(at, end),
    };
    this.exports = exportsOf<Exports>(this.#module, { host });
    this.#memory = this.exports.memory;
    this.#slabAt = Math.ceil((this.exports.arena_at() + ARENA_BYTES) / PAGE_BYTES) * PAGE_BYTES;
    this.#memory.grow(FIRST_PAGES - this.#memory.buffer.byteLength / PAGE_BYTES);
    this.buffer = this.#memory.buffer;
  }

  /** Grows the memory if a slab of this size does not fit. */
  #reserve(bytes: number): void {
    const missing = this.#slabAt + bytes + SLACK_BYTES - this.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE_BYTES));
    this.buffer = this.#memory.buffer;
  }

  /** Frees memory that was grown for a giant line. A WebAssembly memory cannot shrink, so a new one replaces it. */
  #shrink(bytes: number): void {
    const held = new Uint8Array(this.buffer, this.#slabAt, bytes);
    this.#begin();
    this.#reserve(bytes);
    new Uint8Array(this.buffer, this.#slabAt).set(held);
  }
}

/**
 * Scans values in the module, but single strings here: most are short ASCII keys, which take less time than a call of
 * the module.
 */
class MemoryScanner extends PlainScanner {
  readonly #memory: ScanMemory;

  constructor(memory: ScanMemory, maxDepth?: number, maxElements?: number) {
    super(maxDepth, maxElements);
    this.#memory = memory;
  }

  override string(bytes: Uint8Array, at: number): number {
    if (bytes[at] !== QUOTE) return this.fail(at);
    for (let p = at + 1; p < bytes.length; p++) {
      const byte = bytes[p] as number;
      if (byte === QUOTE) return p + 1;
      if (byte < SPACE || byte >= DELETE || byte === BACKSLASH) break;
    }
    return super.string(bytes, at);
  }

  protected override scan(bytes: Uint8Array, at: number, depth: number): number {
    const memory = this.#memory;
    if (!memory.has(bytes)) return super.scan(bytes, at, depth);
    const { exports, from, end } = memory;
    return this.#indexOf(exports.value(from + at, end, Math.max(this.maxDepth - depth, 0)));
  }

  override tape(bytes: Uint8Array, at: number, tape: Tape): number {
    const memory = this.#memory;
    if (!memory.has(bytes)) return super.tape(bytes, at, tape);
    const { exports, from, end } = memory;
    const after = this.#indexOf(exports.tape(from + at, end, this.maxDepth, from));
    if (this.limited(bytes, at, after) < 0) return -1;
    const count = exports.tape_length();
    if (count > MAX_TAPE_ROWS) tape.fill(bytes, at);
    else tape.take(memory.tapeRows, count, exports.tape_has_escapes() !== 0);
    return after;
  }

  /** @param after the address after a value; 0 if it is not valid */
  #indexOf(after: number): number {
    const { exports, from } = this.#memory;
    return after !== 0 ? after - from : this.fail(exports.failed_at() - from, exports.too_deep() !== 0);
  }
}
