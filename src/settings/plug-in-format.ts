/**
 * A format of a plug-in, whose records are checked and copied: its buffers may be reused for the next record, and a record
 * that is not one JSON object on one line would make a dataset that `verify` refuses.
 */
import type { EncodedRecord, Format, FormatFinding } from '../../transforms/formats/format.ts';
import { LF } from '../../transforms/json/bytes.ts';
import { copyOf } from '../../transforms/json/keep.ts';
import { isObject } from '../../transforms/model/message.ts';
import { failUsage } from '../errors.ts';

const NOT_A_RECORD: FormatFinding = {
  rule: 'record-not-json',
  severity: 'ERROR',
  message: 'the format returned a record that is not one JSON object on one line',
  rejects: true,
};

export function ownedFormat<Options extends object>(format: Format<Options>): Format<Options> {
  return {
    ...format,
    encode(conversation, options) {
      const encoded = format.encode(conversation, options);
      checkEncoded(encoded, format.name);
      const isLines = (format.fileKind?.(options ?? {}) ?? 'jsonl') === 'jsonl';
      const records = [encoded.bytes, ...(encoded.more ?? [])];
      const isFine = records.every((bytes) => bytes instanceof Uint8Array && (!isLines || isRecord(bytes)));
      return isFine ? owned(encoded) : { ...encoded, findings: [NOT_A_RECORD, ...encoded.findings] };
    },
  };
}

/** @throws TurnmillError `usage` for anything but a record: an async function returns a Promise */
function checkEncoded(encoded: unknown, name: string): void {
  const { bytes, written, findings } = (encoded ?? {}) as Partial<EncodedRecord>;
  if (bytes === undefined || !Array.isArray(written) || !Array.isArray(findings))
    failUsage(
      `the format '${name}' of a plug-in must return { bytes, written, findings }, and must not be async`,
    );
  if (!findings.every(isFinding)) failUsage(`the format '${name}' of a plug-in reported ${NOT_A_FINDING}`);
}

export const NOT_A_FINDING = "a finding without a rule, a severity ('ERROR' or 'WARNING') or a message";

export function isFinding(finding: Partial<FormatFinding> | null): boolean {
  const { rule, severity = '', message } = finding ?? {};
  return typeof rule === 'string' && ['ERROR', 'WARNING'].includes(severity) && typeof message === 'string';
}

function owned({ bytes, more, ...rest }: EncodedRecord): EncodedRecord {
  return { ...rest, bytes: copyOf(bytes), ...(more && { more: more.map((one) => copyOf(one)) }) };
}

/** Whether the bytes are one JSON object on one line. */
export function isRecord(bytes: Uint8Array): boolean {
  if (bytes.includes(LF)) return false;
  try {
    return isObject(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  } catch {
    return false;
  }
}
