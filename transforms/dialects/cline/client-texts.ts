/**
 * Removes the texts that Cline and its forks write into answers: a mark after the last words if they stopped reading
 * one, and a sentence in place of an answer that did not come.
 */
import { CLOSE_ARRAY, isSameBytes } from '../../json/bytes.ts';
import { quote } from '../../json/respace.ts';
import { encode, parseString } from '../../json/utf8.ts';
import type { ReadingNote } from '../../model/element.ts';
import type { FoldBlock } from '../fold/assistant-draft.ts';
import type { ItemFacts } from '../fold/thread.ts';
import { INTERRUPT, RESPONSE_ERROR, warning } from '../shared/reading-notes.ts';

const ONE_TOOL = 'Only one tool may be used at a time and should be placed at the end of the message.';
/** Who stopped an answer, and the finding that says so. */
const MARKS: readonly (readonly [string, ReadingNote])[] = (
  [
    ['user', INTERRUPT],
    ['user feedback', INTERRUPT],
    ['API Error', RESPONSE_ERROR],
    [
      `a tool use result. ${ONE_TOOL}`,
      warning('interrupted', 'the client ended the answer after its first call'),
    ],
  ] as const
).map(([who, note]) => [`[Response interrupted by ${who}]`, note]);
const NO_ANSWER = encode(quote('Failure: I did not provide a response.'));

/** The blocks of an answer without texts of the client, and what they say about it. */
export function withoutClientTexts(blocks: readonly FoldBlock[]): {
  readonly blocks: readonly FoldBlock[];
  readonly facts: ItemFacts;
} {
  const texts = blocks.filter(({ kind }) => kind !== 'thought' && kind !== 'sealed');
  if (texts.length === 1 && texts[0]?.kind === 'text' && isSameBytes(texts[0].text, NO_ANSWER))
    return { blocks: [], facts: { changes: ['not-by-model'] } };
  const notes = new Set<ReadingNote>();
  const said = blocks.flatMap((block): readonly FoldBlock[] => {
    const cut = block.kind === 'text' ? cutMark(block.text) : undefined;
    if (cut === undefined) return [block];
    notes.add(cut.note);
    return cut.text === undefined ? [] : [{ kind: 'text', text: cut.text }];
  });
  return notes.size === 0
    ? { blocks, facts: {} }
    : { blocks: said, facts: { changes: ['interrupt-mark'], notes: [...notes] } };
}

/** A text, as JSON, without the mark at its end and the two line feeds before that; undefined if it has no mark. */
function cutMark(
  json: Uint8Array,
): { readonly text: Uint8Array | undefined; readonly note: ReadingNote } | undefined {
  if (json.at(-2) !== CLOSE_ARRAY) return undefined;
  const text = parseString(json, 0, json.length);
  const [mark, note] = MARKS.find(([one]) => text.endsWith(one)) ?? [];
  if (mark === undefined || note === undefined) return undefined;
  const rest = text.slice(0, -mark.length);
  if (rest.trim() === '') return { text: undefined, note };
  const tail = encode(quote(`\n\n${mark}`)).subarray(1);
  const start = json.length - tail.length;
  if (!rest.endsWith('\n\n') || !isSameBytes(json.subarray(start), tail)) return undefined;
  return { text: Buffer.concat([json.subarray(0, start), json.subarray(-1)]), note };
}
