/**
 * Files of a batch API in a folder: requests and results are separate files, and a conversation needs both. They are
 * recognised by their names and, if neither packed nor in a store, by their first bytes.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { isObject, type SourceRef } from './source.ts';

type Side = 'requests' | 'answers';

interface BatchFile {
  readonly ref: SourceRef;
  readonly side: Side;
  /** The name without the word for its side: the same for all files of a batch. */
  readonly batch: string;
}

const LINES = /\.(?:jsonl|ndjson)(?:\.(?:gz|zst))?$/i;
const PACKED = /\.(?:gz|zst)$/i;
const WORD = /(?:^|[^a-z])(?:(input|requests?)|(output|results?|responses?|errors?))(?=[^a-z]|$)/i;
const BATCH = /(?:^|[^a-z])(?:msg)?batch(?:es)?(?=[^a-z]|$)/i;
const SIDE_OR_BATCH = /input|request|output|result|response|error|batch/i;
/**
 * The members that a line begins with: the id (which OpenAI's answers have after another id), then those that
 * tell the side.
 */
const LINE = /^\s*\{[^{}]{0,500}"custom_id"[^{}]{0,1000}"(body|params|response|result|error)"\s*:/;
const REQUEST = new Set(['body', 'params']);
const HEAD_BYTES = 4096;

/** Tells by the name, and quickly, that a file does not belong to a batch. */
export const mayBeBatchFile = ({ name }: SourceRef): boolean => SIDE_OR_BATCH.test(name);

/** Groups the files of each batch that has to be read as one source. */
export function batchesIn(files: readonly SourceRef[]): readonly (readonly SourceRef[])[] {
  const found = files.flatMap((ref) => batchFileOf(ref) ?? []);
  const requests = found.filter(({ side }) => side === 'requests');
  const answers = found.filter(({ side }) => side === 'answers');
  // ids often repeat between batches: with several files of requests, the names tell which answers belong to which
  const [only, ...others] = requests;
  if (only !== undefined && others.length === 0)
    return answers.length === 0 ? [] : [[only, ...answers].map(({ ref }) => ref)];
  return requests.flatMap((request) => {
    const isTwin = ({ batch }: BatchFile): boolean => batch === request.batch;
    const own = requests.filter(isTwin).length === 1 ? answers.filter(isTwin) : [];
    return own.length === 0 ? [] : [[request, ...own].map(({ ref }) => ref)];
  });
}

function batchFileOf(ref: SourceRef): BatchFile | undefined {
  const name = ref.name.slice(ref.name.lastIndexOf('/') + 1);
  if (!LINES.test(name)) return undefined;
  const stem = name.replace(PACKED, '').replace(LINES, '');
  const [word = '', sent] = WORD.exec(stem) ?? [];
  const named = word === '' ? undefined : sent === undefined ? 'answers' : 'requests';
  if (named === undefined && !BATCH.test(stem)) return undefined;
  const isRead = isObject(ref) || PACKED.test(name);
  const side = isRead ? (BATCH.test(stem) ? named : undefined) : sideOf(ref);
  return side && { ref, side, batch: stem.replace(WORD, '') };
}

/**
 * Tells the side by the first line; undefined for other logs, and for files that cannot be read, since opening them
 * will report that.
 */
function sideOf({ path = '' }: SourceRef): Side | undefined {
  const head = Buffer.alloc(HEAD_BYTES);
  try {
    const file = openSync(Buffer.from(path, 'latin1'), 'r');
    try {
      const [, member] = LINE.exec(head.toString('latin1', 0, readSync(file, head, 0, HEAD_BYTES, 0))) ?? [];
      return member === undefined ? undefined : REQUEST.has(member) ? 'requests' : 'answers';
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
