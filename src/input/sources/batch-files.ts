/**
 * Files of a batch API in a folder: requests and results are in separate files, and a conversation needs both. The files
 * are recognised by their names and by their first bytes; in a store, and packed with zstd, by their names alone.
 */
import { constants, gunzipSync } from 'node:zlib';
import { ifPossible } from '../../errors.ts';
import { firstBytes } from './first-bytes.ts';
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
const ZSTD = /\.zst$/i;
const GZIP = /\.gz$/i;
const WORD = /(?:^|[^a-z])(?:(input|requests?)|(output|results?|responses?|errors?))(?=[^a-z]|$)/i;
const BATCH = /(?:^|[^a-z])(?:msg)?batch(?:es)?(?=[^a-z]|$)/i;
const SIDE_OR_BATCH = /input|request|output|result|response|error|batch/i;
/** The beginning of a line, up to its first object or the end of the line. */
const BEGINNING = /^\s*\{([^{}]*)/;
const ID = /"(?:custom_id|key)"/;
/** The member that shows the side, after the custom id; in OpenAI's answers that comes after another id. */
const MEMBER = /"(?:(body|params|request)|response|result|error)"\s*:/;
const HEAD_BYTES = 4096;
/** Gzip packs at most about a thousand to one. */
const MAX_UNPACKED_BYTES = 1100 * HEAD_BYTES;

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
  const isNamed = isObject(ref) || ZSTD.test(name);
  const side = isNamed ? (BATCH.test(stem) ? named : undefined) : sideOf(ref);
  return side && { ref, side, batch: stem.replace(WORD, '') };
}

/**
 * Returns the side that the first line shows; undefined for other logs, and for a file that cannot be read: opening it
 * will report that.
 */
function sideOf({ path = '', name }: SourceRef): Side | undefined {
  const head = firstBytes(path, HEAD_BYTES);
  const text = head !== undefined && GZIP.test(name) ? unpackedHead(head) : head;
  return text === undefined ? undefined : sideIn(text);
}

/** The text at the beginning of a gzip file; undefined if it is damaged, or does not unpack to a log. */
function unpackedHead(head: string): string | undefined {
  const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_UNPACKED_BYTES };
  return ifPossible(() => gunzipSync(Buffer.from(head, 'latin1'), options).toString('latin1', 0, HEAD_BYTES));
}

function sideIn(text: string): Side | undefined {
  const [, members = ''] = BEGINNING.exec(text) ?? [];
  const at = members.search(ID);
  const found = at < 0 ? null : MEMBER.exec(members.slice(at));
  if (found === null) return undefined;
  return found[1] === undefined ? 'answers' : 'requests';
}
