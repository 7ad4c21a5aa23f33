/**
 * run.json: facts that differ from run to run and are therefore not in the manifest: clock, host, paths, and for `build
 * --update` the fingerprint of each source that was read, in the order of the ledger.
 */

import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { isObjectUrl } from '../object-store/url.ts';
import { lstatIfAny, readTextIfAny } from './fs-calls.ts';
import { RUN_FACTS } from './layout.ts';
import type { WrittenFile } from './line-file.ts';
import type { RunFacts } from './schema/manifest.ts';
import { prettyJson, readWrittenText, writeCheckedFile } from './whole-file.ts';

const PIECE_LENGTH = 256 * 1024;

/**
 * @param fingerprints a file with a JSON text in each line
 * @throws TurnmillError `io` if that file differs from what was written
 */
export function writeRunFacts(root: string, facts: object, fingerprints?: WrittenFile, mode?: number): void {
  writeCheckedFile(join(root, RUN_FACTS), runFactsText(facts, fingerprints), mode);
}

/** Returns the text of run.json in pieces. */
export function runFactsText(facts: object, fingerprints?: WrittenFile): Iterable<string> {
  const lines = fingerprints === undefined ? undefined : readWrittenText(fingerprints);
  const text = prettyJson(facts);
  return lines === undefined ? [text] : { [Symbol.iterator]: () => withFingerprints(text, lines) };
}

/** Yields the text in pieces, because there may be a million fingerprints. */
function* withFingerprints(facts: string, lines: string): Generator<string> {
  yield `${facts.slice(0, -'\n}\n'.length)},\n  "proofs": [`;
  let before = '\n    ';
  let piece = '';
  for (const line of linesOf(lines)) {
    piece += before + line;
    before = ',\n    ';
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}${lines === '' ? '' : '\n  '}]\n}\n`;
}

function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end;
    yield text.slice(at, next);
    at = next + 1;
  }
}

/** Reads the fingerprints of a published dataset; undefined if they are missing or unreadable. */
export function readFingerprints(root: string): readonly string[] | undefined {
  return textsIn(readFacts(root)?.proofs);
}

/**
 * Reads the inputs of a published dataset, as paths from here: a relative one is looked for in the folder that the run
 * was started in. Undefined if they are missing or unreadable.
 */
export function readInputs(root: string): readonly string[] | undefined {
  const facts = readFacts(root);
  const { folder } = facts ?? {};
  return textsIn(facts?.inputs)?.map((input) => {
    if (typeof folder !== 'string' || folder === process.cwd() || isObjectUrl(input)) return input;
    const there = resolve(folder, input);
    return lstatIfAny(there) === undefined ? input : there; // the dataset may come from another machine
  });
}

/** Returns whether a dataset says that it was built on this machine. */
export const isBuiltHere = (root: string): boolean => readFacts(root)?.host === hostname();

const textsIn = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) ? value.map(String) : undefined;

/** Returns what `run.json` says; undefined if it is missing, or not a JSON object. */
function readFacts(root: string): Partial<Record<keyof RunFacts, unknown>> | undefined {
  try {
    const facts: unknown = JSON.parse(readTextIfAny(join(root, RUN_FACTS)) ?? '{}');
    return typeof facts === 'object' && facts !== null ? facts : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
