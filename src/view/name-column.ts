/** The name that each session has in one member, for filters: two bytes per session. */

/** The names after these are not told apart. */
const MAX_NAMES = 65_535;

export class NameColumn {
  readonly #names: string[] = [];
  readonly #numbers = new Map<string, number>();
  /** Number of the name, from 1; 0 for none. */
  readonly #of: Uint16Array;

  constructor(sessions: number) {
    this.#of = new Uint16Array(sessions);
  }

  set(session: number, name: string | undefined): void {
    if (name === undefined) return;
    let number = this.#numbers.get(name);
    if (number === undefined) {
      if (this.#names.length === MAX_NAMES) return;
      number = this.#names.push(name);
      this.#numbers.set(name, number);
    }
    this.#of[session] = number;
  }

  isOf(session: number, name: string): boolean {
    const number = this.#numbers.get(name);
    return number !== undefined && this.#of[session] === number;
  }

  /** Returns how many rows have a session with each name. */
  count(rows: number, sessionOf: (row: number) => number): ReadonlyMap<string, number> {
    const counts = new Uint32Array(this.#names.length + 1);
    for (let row = 0; row < rows; row++) {
      const number = this.#of[sessionOf(row)] ?? 0;
      counts[number] = (counts[number] as number) + 1;
    }
    return new Map(this.#names.map((name, i) => [name, counts[i + 1] as number]));
  }
}
