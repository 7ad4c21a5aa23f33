/** Finds what may be the request or the answer that a logged call lacks: content in a member that is not read. */
import type { JsonView } from '../../json/json-view.ts';
import { carriesContent } from './carried-content.ts';
import { structured } from './logged-values.ts';
import { shownType } from './reading-notes.ts';

export const STRAY = 'the call has no request or no answer; a member that turnmill does not know may hold it';
export const straying = (name: string): string => `${STRAY}: ${shownType(name)}`;

/** Members of calls, spans, observations and runs whose values are not what was said. */
const ASIDE =
  /^(?:id|type|name|user\w*|version|level|tags|model|usage|scores?|feedback\w*|error\w*|exception\w*|serialized|extra|events|meta|metadata|attributes|summary|context|inputs?|outputs?|expected|manifest\w*|parent\w*|child\w*|prompt_?(?:id|name|version)\w*|status\w*|(?:.*_)?(?:id|time|url|cost|details|parameters|definitions|tokens)|.*(?:Id|Time|Url|_at|At|Cost|Details|Parameters|Definitions|Tokens|_path))$/;
const LETTER = /\p{L}/u;
const SPACE_OR_END = /\s|[.?!]$/;

/** Does a text have white space, or its closing mark, after a letter? Names and ids have neither. */
function isSentence(text: string): boolean {
  const letter = text.search(LETTER);
  return letter >= 0 && SPACE_OR_END.test(text.slice(letter));
}

const NONE: ReadonlySet<string> = new Set();

/**
 * The member of a call without its request or its answer that may be it; undefined if there is none.
 * @param read names of members that were read
 */
export const strayMember = (
  call: JsonView,
  read: Pick<ReadonlySet<string>, 'has'> = NONE,
): JsonView | undefined =>
  call.members().find(([key, value]) => !ASIDE.test(key) && !read.has(key) && mayBeSaid(value))?.[1];

/** Is it a sentence, or an object or a list that carries content? */
export function mayBeSaid(value: JsonView): boolean {
  const inner = structured(value) ?? value;
  if (inner.type === 'string') return isSentence(inner.text() ?? '');
  return carriesContent(inner) || BODIES.some((key) => Boolean(inner.textOf(key)));
}

/** Members of a response of HTTP that hold a stream or another text. */
const BODIES = ['body', 'body_raw'] as const;
