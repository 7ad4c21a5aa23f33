/** Micro benchmarks of reading JSON: the scanners, comparing known bytes, walking members. */
import { equalsAt, KnownList } from '../../transforms/json/known-list.ts';
import { isKey, walkMembers } from '../../transforms/json/members.ts';
import { createPlainScanner } from '../../transforms/json/plain-scanner.ts';
import type { Scanner } from '../../transforms/json/scanner.ts';
import { createScanMemory } from '../../transforms/json/wasm-scanner.ts';
import { type MicroCase, messagesOf, sample } from './job.ts';

/** @param bytes in memory that the scanner can read */
export const scanCase = (
  name: string,
  scanner: Scanner,
  bytes: Uint8Array,
  lines: readonly Uint8Array[],
): MicroCase => ({
  name,
  bytes: bytes.length,
  items: lines.length,
  run: () => {
    let at = 0;
    for (const { length } of lines) {
      const end = scanner.value(bytes, at, 0);
      if (end !== at + length) throw new Error(`the scanner failed at ${scanner.failedAt}`);
      at = end + 1;
    }
    return at;
  },
});

/** The plain scanner, and JSON.parse, which it replaces. */
export const plainScannerCases = (): readonly MicroCase[] => {
  const { bytes, lines } = sample();
  return [
    scanCase('plain scanner', createPlainScanner(), bytes, lines),
    {
      name: 'JSON.parse of the decoded line',
      bytes: bytes.length,
      items: lines.length,
      run: () => {
        let keys = 0;
        for (const line of lines) keys += Object.keys(JSON.parse(line.toString('utf8'))).length;
        return keys;
      },
    },
  ];
};

/** Returns an empty list if WebAssembly or its SIMD is not available. */
export const wasmScannerCases = (): readonly MicroCase[] => {
  const { bytes, lines } = sample();
  const memory = createScanMemory();
  if (memory === undefined) return [];
  const slab = memory.slab(bytes.length);
  slab.set(bytes);
  return [scanCase('WebAssembly scanner', memory.createScanner(), slab, lines)];
};

const pieceCase = (pieceBytes: number): MicroCase => {
  const bytes = Buffer.from(sample().bytes);
  const count = Math.floor(bytes.length / pieceBytes);
  const pieces = Array.from({ length: count }, (_, i) =>
    Buffer.from(bytes.subarray(i * pieceBytes, (i + 1) * pieceBytes)),
  );
  return {
    name: `equalsAt, pieces of ${pieceBytes} bytes`,
    bytes: count * pieceBytes,
    items: count,
    run: () => {
      let equal = 0;
      for (let i = 0; i < count; i++) {
        if (equalsAt(bytes, i * pieceBytes, pieces[i] as Buffer)) equal++;
      }
      if (equal !== count) throw new Error('equal bytes were not recognised');
      return equal;
    },
  };
};

/** The sizes of a short message, a long message and an array of tools. */
export const compareCases = (): readonly MicroCase[] => [200, 4_000, 40_000].map(pieceCase);

const lineCount = 40;

/** The same lines read with the known list and scanned in full. */
export const knownListCases = (): readonly MicroCase[] => {
  const texts = sample()
    .lines.slice(0, 200)
    .flatMap(messagesOf)
    .map((message) => JSON.stringify(message));
  const distinct = [...new Set(texts)].slice(0, 2 * lineCount);
  const lines = Array.from({ length: lineCount }, (_, i) =>
    Buffer.from(`[${distinct.slice(0, 2 * (i + 1)).join(',')}]`),
  );
  const shared = { bytes: lines.reduce((sum, { length }) => sum + length, 0), items: lineCount };
  const scanner = createPlainScanner();
  const make = (bytes: Uint8Array, start: number, end: number): { readonly bytes: Uint8Array } => ({
    bytes: Buffer.from(bytes.subarray(start, end)),
  });
  return [
    {
      ...shared,
      name: 'known list, repeating history',
      run: () => {
        const list = new KnownList(scanner, make, (bytes, at) => scanner.value(bytes, at, 3));
        let read = 0;
        for (const line of lines) read += list.read(line, 0);
        return read;
      },
    },
    {
      ...shared,
      name: 'plain scanner, the same lines',
      run: () => lines.reduce((sum, line) => sum + scanner.value(line, 0, 2), 0),
    },
  ];
};

/** All messages of one long line. */
export const membersCases = (): readonly MicroCase[] => {
  const longest = sample().lines.toSorted((a, b) => b.length - a.length)[0] as Buffer;
  const messages = messagesOf(longest).map((message) => Buffer.from(JSON.stringify(message)));
  const shared = { bytes: messages.reduce((sum, { length }) => sum + length, 0), items: messages.length };
  const scanner = createPlainScanner();
  const roles = (bytes: Uint8Array): number => {
    let found = 0;
    walkMembers(bytes, 0, scanner, (start, end, value) => {
      if (isKey(bytes, start, end, 'role')) found++;
      return scanner.value(bytes, value, 1);
    });
    return found;
  };
  return [
    {
      ...shared,
      name: 'walkMembers and isKey',
      run: () => messages.reduce((sum, message) => sum + roles(message), 0),
    },
    {
      ...shared,
      name: 'JSON.parse and a look',
      run: () =>
        messages.reduce(
          (sum, message) => sum + ('role' in (JSON.parse(message.toString('utf8')) as object) ? 1 : 0),
          0,
        ),
    },
  ];
};
