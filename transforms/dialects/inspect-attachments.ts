/**
 * Texts that a sample of an Inspect log stores separately: its messages contain `attachment://HASH` instead, alone or
 * inside a longer text.
 */
import { JsonView } from '../json/json-view.ts';
import { decode, encode } from '../json/utf8.ts';

const MARK = 'attachment://';
const REFERENCE = /attachment:\/\/([\w-]{1,128})/g;
/** The client's own format: any other text after the prefix is a URL that a user wrote. */
const HASH = /^[0-9a-f]{32}$/;

export class AttachedTexts {
  readonly #texts: ReadonlyMap<string, string>;
  #isMissing = false;

  /** @param logged the texts by hash */
  constructor(logged: JsonView | undefined) {
    const members = logged?.members() ?? [];
    this.#texts = new Map(
      members.flatMap(([hash, text]) =>
        text.type === 'string' ? [[hash, decode(text.copy()).slice(1, -1)] as const] : [],
      ),
    );
  }

  /** Was there a reference to a text that the log lacks? */
  get isMissing(): boolean {
    return this.#isMissing;
  }

  miss(): void {
    this.#isMissing = true;
  }

  /** The value with the texts filled in; the same object if it has no references. */
  into(view: JsonView): JsonView {
    const bytes = Buffer.from(view.bytes.buffer, view.bytes.byteOffset, view.bytes.length);
    if (!bytes.includes(MARK)) return view;
    const json = decode(bytes).replace(REFERENCE, (whole, hash: string) => {
      const text = this.#texts.get(hash);
      if (text === undefined && HASH.test(hash)) this.#isMissing = true;
      return text ?? whole;
    });
    return new JsonView(encode(json));
  }
}
