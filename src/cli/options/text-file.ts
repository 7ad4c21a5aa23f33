/** An option whose value is the text of a file: UTF-8, without the line end at its end. */
import { TurnmillError } from '../../errors.ts';
import { NotOwnFile, readOwnFile } from '../../own-file.ts';
import type { Refuse, ValueType } from './option.ts';
import { text } from './value-types.ts';

const MOST_BYTES = 16 * 1024 * 1024;
const name = text('FILE');

export const textFile: ValueType<string> = {
  placeholder: name.placeholder,
  fromTexts: (texts, refuse) => textIn(name.fromTexts(texts, refuse), refuse),
  fromJson: (value, refuse) => textIn(name.fromJson(value, refuse), refuse),
};

function textIn(path: string, refuse: Refuse): string {
  let bytes: Uint8Array;
  try {
    bytes = readOwnFile(path, MOST_BYTES);
  } catch (error) {
    if (error instanceof NotOwnFile)
      return refuse(`'${path}' is ${error.kind}, not a regular file: write it to a file and name that`);
    if (error instanceof TurnmillError) return refuse(`'${path}' is longer than ${MOST_BYTES} bytes`);
    return refuse(`cannot read '${path}': ${(error as NodeJS.ErrnoException).code}`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch {
    return refuse(`'${path}' is not UTF-8`);
  }
}
