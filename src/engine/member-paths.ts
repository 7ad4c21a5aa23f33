/** Numbers the paths of members: names with dots, and `[]` for the elements of a list. */
const MAX_PATHS = 500;
const PLAIN_KEY = /^[A-Za-z_$@][\w.$@-]{0,63}$/;
/** Stands for names that are not plain, such as ids. */
const ANY = '*';
const ELEMENTS = '[]';

/** The whole line. */
export const ROOT = 0;
/** Members beyond the maximum. */
const OTHERS = 1;
export const NOT_JSON = 2;
const FIRST: readonly string[] = ['', 'other members', 'lines that are not JSON'];

export class MemberPaths {
  #names: string[] = [...FIRST];
  #children = new Map<number, Map<string, number>>();

  get names(): readonly string[] {
    return this.#names;
  }

  /** The path of a member, or of the elements of a list. */
  child(parent: number, key: string): number {
    const known = this.#children.get(parent)?.get(key);
    if (known !== undefined) return known;
    const name = key === ELEMENTS || PLAIN_KEY.test(key) ? key : ANY;
    if (name !== key) return this.child(parent, name);
    if (parent === OTHERS || this.#names.length >= MAX_PATHS) return OTHERS;
    const within = this.#names[parent] as string;
    const path = this.#names.length;
    this.#names.push(within === '' || key === ELEMENTS ? `${within}${key}` : `${within}.${key}`);
    const siblings = this.#children.get(parent) ?? new Map<string, number>();
    this.#children.set(parent, siblings.set(key, path));
    return path;
  }

  clear(): void {
    this.#names = [...FIRST];
    this.#children.clear();
  }
}
