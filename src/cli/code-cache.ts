/**
 * Keeps V8's compiled code of the program's chunks between runs, for Node 20, which has no compile cache
 * (docs/contributing/decisions/0020-compile-later.md). It works for CommonJS modules only, so it does nothing for `dist/src`.
 *
 * A file of the cache is CRC-32 of the chunk u32 | CRC-32 of the code u32 | code. V8 itself compares no more than the
 * length of the chunk. A file that does not fit, or that V8 rejects, counts as missing. A run that cannot write the cache
 * goes on without it.
 */
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import Module from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { cachedDataVersionTag, setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

const HEADER_BYTES = 8;
/** The chunks that every run loads (`scripts/bundle.mjs`). Others may import dynamically, which Node 20 refuses in code from a cache. */
const KEPT = /^(?:common|command|command-run|run)-[\w-]{8}\.js$/;
/** Only a run over logs fills the cache: other commands use few functions of the chunks that all of them load. */
const RUN_CHUNK = /^run-/;

/** Node 20's values of the flags that a run changes (`node.ts`). V8 rejects code that was kept under other flags. */
const DEFAULT_FLAGS = [
  '--interrupt-budget=67584',
  '--max-inlined-bytecode-size-cumulative=920',
  '--heap-growing-percent=0',
  '--semi-space-growth-factor=2',
  '--no-expose-gc',
];

/** A module of Node's loader, as far as it is used here. */
interface Loaded {
  readonly exports: unknown;
  readonly require: (id: string) => unknown;
}
type Compile = (this: Loaded, content: string, path: string, format?: string) => unknown;
type Body = (this: unknown, ...args: readonly unknown[]) => unknown;

/** A chunk whose code is not in the cache. */
interface Chunk {
  readonly script: Script;
  readonly file: string;
  readonly sum: number;
  /** Stands for the version of V8, its flags and the processor when the chunk was loaded. */
  readonly tag: number;
}

export class CodeCache {
  readonly #program: string;
  readonly #folder: string;
  readonly #missing: Chunk[] = [];
  #ranOverLogs = false;

  /**
   * @param program folder of the chunks
   * @param folder of the cache; it need not exist
   */
  constructor(program: string, folder: string) {
    this.#program = resolve(program);
    this.#folder = folder;
  }

  /** From now on chunks of the program are compiled from the cache. */
  install(): void {
    const loader = Module.prototype as unknown as { _compile: Compile };
    const original = loader._compile;
    const compiled = (content: string, path: string): Body => this.#compiled(content, path);
    const isChunk = (path: string): boolean => dirname(path) === this.#program && KEPT.test(basename(path));
    loader._compile = function (content, path, format) {
      if (!isChunk(path)) return original.call(this, content, path, format);
      const { exports, require } = this;
      return compiled(content, path).call(exports, exports, require.bind(this), this, path, dirname(path));
    };
  }

  /** Writes what is missing in the cache, at the end of a run. Sets flags of V8 back to their defaults. */
  save(): void {
    if (!this.#ranOverLogs || this.#missing.length === 0) return;
    try {
      mkdirSync(this.#folder, { recursive: true });
      const early = this.#missing.filter((chunk) => !this.#write(chunk)); // loaded before the run set its flags
      DEFAULT_FLAGS.forEach(setFlagsFromString);
      for (const chunk of early) this.#write(chunk);
    } catch {
      // The folder cannot be written.
    }
  }

  #compiled(content: string, path: string): Body {
    if (RUN_CHUNK.test(basename(path))) this.#ranOverLogs = true;
    const tag = cachedDataVersionTag();
    const sum = crc32(content);
    const file = join(this.#folder, `${basename(path)}-${process.version}-${tag.toString(16)}`);
    const cachedData = codeIn(file, sum);
    const script = new Script(`(function (exports, require, module, __filename, __dirname) {${content}\n})`, {
      filename: path,
      ...(cachedData && { cachedData }),
    });
    if (cachedData === undefined || script.cachedDataRejected === true)
      this.#missing.push({ script, file, sum, tag });
    return script.runInThisContext() as Body;
  }

  /** @returns false if V8 has other flags now than when it loaded the chunk */
  #write({ script, file, sum, tag }: Chunk): boolean {
    if (tag !== cachedDataVersionTag()) return false;
    const unfinished = `${file}.${process.pid}`;
    const fd = openSync(unfinished, 'wx', 0o644); // before the code is made: most failures are here
    try {
      const code = script.createCachedData();
      const header = Buffer.alloc(HEADER_BYTES);
      header.writeUInt32LE(sum);
      header.writeUInt32LE(crc32(code), HEADER_BYTES / 2);
      writeSync(fd, header);
      writeSync(fd, code);
      renameSync(unfinished, file);
    } catch {
      rmSync(unfinished, { force: true });
    } finally {
      closeSync(fd);
    }
    return true;
  }
}

/** The code in a file of the cache, if it was made of a chunk with this checksum. */
function codeIn(file: string, sum: number): Buffer | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return undefined;
  }
  if (bytes.length <= HEADER_BYTES || bytes.readUInt32LE(0) !== sum) return undefined;
  const code = bytes.subarray(HEADER_BYTES);
  return crc32(code) === bytes.readUInt32LE(HEADER_BYTES / 2) ? code : undefined;
}
