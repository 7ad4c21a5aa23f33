/**
 * Files of a batch API in a folder: requests and results are in separate files, and a conversation needs both. The files
 * are recognised by their names and, unless they are packed or in a store, by their first bytes.
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
/** Beginning of a line: the custom id (in OpenAI's answers after another id), then a member that shows the side. */
const LINE = /^\s*\{[^{}]{0,500}"custom_id"[^{}]{0,1000}"(body|params|response|result|error)"\s*:/;
const REQUEST = new Set(['body', 'params']);
const HEAD_BYTES = 4096;

/** Returns false if the name alone shows that a file does not belong to a batch. */
export const mayBeBatchFile = ({ name }: SourceRef): boolean => SIDE_OR_BATCH.test(name);

/** Returns the batches that have to be read as one source, each as a list of its files. */
export function batchesIn(files: readonly SourceRef[]): readonly (readonly SourceRef[])[] {
  const batchFiles = files.flatMap((ref) => batchFileOf(ref) ?? []);
  const requests = batchFiles.filter(({ side }) => side === 'requests');
  const answers = batchFiles.filter(({ side }) => side === 'answers');
  // ids often repeat between batches: with several files of requests, the names show which answers belong to which
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
 * Returns the side that the first line shows; undefined for other logs, and for a file that cannot be read: opening it
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
