/** Adds the metadata requested with `--meta` to a record. */
import { LF } from '../json/bytes.ts';
import { inString, quote } from '../json/respace.ts';
import { addMember, concat } from '../json/splice.ts';
import { decode, encode } from '../json/utf8.ts';
import type { Conversation } from '../model/element.ts';
import { isPersonal, type MetaName } from '../model/meta.ts';
import { utcTimestamp } from '../model/timestamp.ts';
import type { EncodedRecord } from './format.ts';

const NULL = encode('null');
/** Characters that may follow the name of a source in an id derived from it; undefined is the end. */
const AFTER_SOURCE = [undefined, ':', '/', '#'];

/**
 * Adds a member with the metadata at the end of the record, or of its first line if it has several.
 * @param inText whether to write the metadata as a JSON string
 */
export function withMetadata(
  record: EncodedRecord,
  conversation: Conversation,
  names: readonly MetaName[],
  inText: boolean,
  member: string = 'metadata',
): EncodedRecord {
  const json = metadataOf(conversation, names);
  const value = inText ? inString(json) : json;
  const add = (bytes: Uint8Array): Uint8Array => {
    const end = bytes.indexOf(LF);
    if (end < 0) return addMember(bytes, member, value);
    return concat([addMember(bytes.subarray(0, end), member, value), bytes.subarray(end)]);
  };
  return {
    ...record,
    bytes: add(record.bytes),
    ...(record.more !== undefined && { more: record.more.map(add) }),
  };
}

/** An object of all requested names in order. Absent values are null, so that all records have the same columns. */
function metadataOf(conversation: Conversation, names: readonly MetaName[]): Uint8Array {
  const members = names.map((name) => `"${name}":${decode(metaValue(conversation, name) ?? NULL)}`);
  return encode(`{${members.join(',')}}`);
}

function metaValue(conversation: Conversation, name: MetaName): Uint8Array | undefined {
  const { meta, sessionId, startedAt, origin } = conversation;
  const logged = meta?.get(name);
  if (logged !== undefined) return logged;
  if (name === 'started_at')
    return startedAt === undefined ? undefined : encode(`"${utcTimestamp(startedAt)}"`);
  const isLogged = !isDerivedFrom(origin.source, sessionId) && !isPersonal(sessionId);
  return name === 'source_id' && isLogged ? encode(quote(sessionId)) : undefined;
}

/** Whether the id was derived from the name of its source, because the log has none. */
function isDerivedFrom(source: string, id: string): boolean {
  return id.startsWith(source) && AFTER_SOURCE.includes(id[source.length]);
}
