/** Turns parts of a record into text: more at once where one part follows another soon, because each call costs. */
export class Window {
  static readonly #MAX_BYTES = 32_768;
  /** Text before a part: forms of one anchor begin at different bytes before it. */
  static readonly #BEFORE_BYTES = 96;
  #from = 0;
  #text = '';

  /** Forgets the text. Call it before another record. */
  clear(): void {
    this.#text = '';
    this.#from = 0;
  }

  /** Returns these bytes, one character for each. */
  text(bytes: Buffer, from: number, end: number): string {
    const { length } = this.#text;
    const to = Math.min(end, bytes.length);
    if (from < this.#from || to > this.#from + length) {
      const ahead =
        from > this.#from && from < this.#from + 2 * length ? Math.min(2 * length, Window.#MAX_BYTES) : 0;
      this.#from = Math.max(0, from - Window.#BEFORE_BYTES);
      this.#text = bytes.toString('latin1', this.#from, Math.max(to, from + ahead));
    }
    return this.#text.slice(from - this.#from, to - this.#from);
  }
}
