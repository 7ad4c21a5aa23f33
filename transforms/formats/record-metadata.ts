/** Reads the metadata that `--meta` wrote into a record. */

import { LF } from '../json/bytes.ts';
import { formats } from './index.ts';

/** Returns the name of the member with the metadata in records of a format. */
export const metadataMember = (format: string): string =>
  formats.find(({ name }) => name === format)?.metadataMember ?? 'metadata';

/** Returns the metadata at the end of a record, or of its first line if it has several. */
export function metadataIn(record: Uint8Array, member: string): Readonly<Record<string, unknown>> {
  const content = Buffer.from(record.buffer, record.byteOffset, record.length);
  const end = content.indexOf(LF);
  const line = end < 0 ? content : content.subarray(0, end);
  const start = line.lastIndexOf(`"${member}":`);
  if (start < 0) return {};
  try {
    const { [member]: value } = JSON.parse(`{${line.toString('utf8', start)}`) as Record<string, unknown>;
    const metadata = typeof value === 'string' ? JSON.parse(value) : value;
    return typeof metadata === 'object' && metadata !== null ? metadata : {};
  } catch {
    return {}; // a member of this name that is not the last one
  }
}

/** Returns the name of the model in a record's metadata. @param format of the record */
export function modelIn(record: Uint8Array, format: string): string | undefined {
  const { model } = metadataIn(record, metadataMember(format));
  return typeof model === 'string' && model !== '' ? model : undefined;
}
