/**
 * A growing run of bytes that is appended to and reset: one for the output, one per session for
 * its history. Lines are built by copying bytes that are serialised already, never through strings.
 */

/** The bytes written so far are `bytes[0 .. length)`; the rest is room. */
export interface ByteTape {
  bytes: Buffer;
  length: number;
}

/** Makes an empty tape with room for this many bytes. */
export const byteTape = (roomBytes: number): ByteTape => ({
  bytes: Buffer.allocUnsafeSlow(roomBytes),
  length: 0,
});

const reserve = (tape: ByteTape, extraBytes: number): void => {
  const needed = tape.length + extraBytes;
  if (needed <= tape.bytes.length) return;
  const grown = Buffer.allocUnsafeSlow(Math.max(needed, tape.bytes.length * 2));
  tape.bytes.copy(grown, 0, 0, tape.length);
  tape.bytes = grown;
};

/** Appends `source[start .. end)`. */
export const appendBytes = (tape: ByteTape, source: Buffer, start = 0, end: number = source.length): void => {
  if (end <= start) return;
  reserve(tape, end - start);
  source.copy(tape.bytes, tape.length, start, end);
  tape.length += end - start;
};

/** Appends ASCII text (keys, punctuation, ids); any other character would be written wrongly. */
export const appendAscii = (tape: ByteTape, text: string): void => {
  reserve(tape, text.length);
  tape.length += tape.bytes.write(text, tape.length, 'latin1');
};
