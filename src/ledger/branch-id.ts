/** The ids of branches: a further conversation of a session has the id of the session with `#2`, `#3`, ... after it. */

const MAX_BRANCH = 1_000_000;

/** Returns the id of the session of which an id is a further branch; undefined if it is none. */
export function sessionOfBranch(id: string): string | undefined {
  const at = id.lastIndexOf('#');
  const number = Number(id.slice(at + 1));
  const isNumbered = at >= 0 && number >= 2 && number < MAX_BRANCH && id.slice(at) === `#${number}`;
  return isNumbered ? id.slice(0, at) : undefined;
}
