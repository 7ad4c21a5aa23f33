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

/** Returns the number of letters to insert, remove or replace (Levenshtein distance). */
function typingErrors(word: string, other: string): number {
  let before = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= word.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const replaced = (before[j - 1] as number) + (word[i - 1] === other[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (before[j] as number) + 1, (row[j - 1] as number) + 1));
    }
    before = row;
  }
  return before[other.length] as number;
}
