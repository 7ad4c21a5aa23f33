/**
 * Keeps V8's compiled code of the program's chunks between runs (docs/contributing/decisions/0020-compile-later.md). Node 20 has no
 * compile cache, so the program keeps it here. It works for CommonJS modules only, so it does nothing for `dist/src`.
 *
 * A file of the cache is CRC-32 of the chunk u32 | CRC-32 of the code u32 | code. V8 itself compares no more than the
 * length of the chunk. A file that does not fit, or that V8 rejects, counts as missing. A run that cannot write the cache
 * goes on without it.
 */
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import Module from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

const HEADER_BYTES = 8;
/** The chunks that every run loads (`scripts/bundle.mjs`). Others may import dynamically, which Node 20 refuses in code from a cache. */
const KEPT = /^(?:common|command|command-run|run)-[\w-]{8}\.js$/;
/** Only a run over logs fills the cache: other commands use few functions of the chunks that all of them load. */
const RUN_CHUNK = /^run-/;

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

/** Added in Node 22.1; the types of Node 20 lack it. */
interface CompileCache {
  enableCompileCache?(folder: string): unknown;
}

/**
 * Takes compiled code from the program's own folder: in a temporary folder, other users might be able to plant code.
 * Without write access there is no cache. `NODE_DISABLE_COMPILE_CACHE=1` turns it off, `NODE_COMPILE_CACHE` names another
 * folder. Each thread has to call it, before it loads the chunks.
 * @returns the program's own cache; undefined if Node has one, or if it is turned off
 */
export function keepCompiledCode(): CodeCache | undefined {
  const program = fileURLToPath(new URL('.', import.meta.url));
  const folder = join(program, 'compile-cache');
  const { enableCompileCache } = Module as CompileCache;
  if (enableCompileCache !== undefined) {
    enableCompileCache(folder);
    return undefined;
  }
  const { NODE_DISABLE_COMPILE_CACHE: off, NODE_COMPILE_CACHE: chosen = folder } = process.env;
  if (off === '1' || process.sourceMapsEnabled) return undefined; // Node maps no stacks of code from the cache
  const cache = new CodeCache(program, chosen);
  cache.install();
  return cache;
}

class CodeCache {
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

  /**
   * Writes what is missing in the cache, at the end of a run.
   * @param resetFlags sets the flags of V8 back to those of the start
   */
  save(resetFlags: () => void): void {
    if (!this.#ranOverLogs || this.#missing.length === 0) return;
    try {
      mkdirSync(this.#folder, { recursive: true });
      resetFlags();
      for (const chunk of this.#missing) this.#write(chunk);
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

  #write({ script, file, sum, tag }: Chunk): void {
    if (tag !== cachedDataVersionTag()) return; // V8 has other flags than when it loaded the chunk
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
