/** Finds the word that a user may have meant. */

/** Longer words are not compared: the time grows with the square of the length. */
const LONGEST = 40;

/**
 * Returns the known word that this is the beginning of, or else the one with the fewest typing errors, at most one for
 * every three letters; undefined if there is none.
 */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  if (word.length > LONGEST) return undefined;
  const longer = word.length < 3 ? undefined : known.find((name) => name.startsWith(word.toLowerCase()));
  if (longer !== undefined) return longer;
  const most = Math.ceil(word.length / 3);
  const near = known
    .map((name) => ({ name, errors: typingErrors(word.toLowerCase(), name) }))
    .filter(({ name, errors }) => errors <= most && errors < name.length);
  return near.toSorted((a, b) => a.errors - b.errors)[0]?.name;
}

/**
 * Returns the end of a message about an unknown word: the word that may be meant.
 * @param otherwise follows the message if there is none
 */
export function suggestion(word: string, known: readonly string[], otherwise?: string): string {
  const near = nearestWord(word, known);
  if (near !== undefined) return `; did you mean ${near}?`;
  return otherwise === undefined ? '' : `; ${otherwise}`;
}

/** Returns the number of letters to insert, remove or replace, and of neighbours to swap. */
function typingErrors(word: string, other: string): number {
  let before = Array.from({ length: other.length + 1 }, (_, i) => i);
  let earlier: readonly number[] = [];
  for (let i = 1; i <= word.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const replaced = (before[j - 1] as number) + (word[i - 1] === other[j - 1] ? 0 : 1);
      const isSwapped = word[i - 1] === other[j - 2] && word[i - 2] === other[j - 1];
      const swapped = isSwapped ? (earlier[j - 2] ?? Number.POSITIVE_INFINITY) + 1 : replaced;
      row.push(Math.min(replaced, swapped, (before[j] as number) + 1, (row[j - 1] as number) + 1));
    }
    earlier = before;
    before = row;
  }
  return before[other.length] as number;
}
