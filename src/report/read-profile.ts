/** Counts the profile of a dataset from its files, with one line in memory at a time. */

import { join } from 'node:path';
import { shapeOfRecord } from '../../transforms/formats/record-shape.ts';
import type { Grouping } from '../../transforms/model/group.ts';
import { LINE_FILES } from '../dataset/layout.ts';
import { eachLine } from '../dataset/read-back.ts';
import { RecordLines } from '../dataset/record-lines.ts';
import type { SessionLine, SourceLine } from '../dataset/schema/ledger.ts';
import type { Manifest } from '../dataset/schema/manifest.ts';
import type { QuarantineLine } from '../dataset/schema/quarantine.ts';
import type { DatasetProfile, FindingLine } from '../dataset/schema/reports.ts';
import { recordStart } from '../dataset/shard-name.ts';
import { ProfileCounter } from '../ledger/dataset-profile.ts';

interface ReadSettings {
  readonly groupBy: Grouping;
  readonly format: readonly string[];
}

export async function readProfile(root: string, manifest: Manifest): Promise<DatasetProfile> {
  const { groupBy, format } = manifest.settings as unknown as ReadSettings;
  const counter = new ProfileCounter(groupBy);
  const [first = 'chat'] = format;
  const groups = new Map(manifest.shards.map(({ path, group }) => [path, group]));
  for (const { path } of manifest.shards) {
    const isFirst = format.length === 1 || path.startsWith(`data/${first}/`);
    await eachRecord(root, path, (record) =>
      counter.record(record, isFirst ? { shape: shapeOfRecord(record, first) } : undefined),
    );
  }
  const parsed = <T>(take: (line: T) => void) => {
    return (line: Uint8Array): void => take(JSON.parse(Buffer.from(line).toString()) as T);
  };
  await eachLine(
    join(root, LINE_FILES.sources),
    parsed((line: SourceLine) => counter.source(line)),
  );
  await eachLine(
    join(root, LINE_FILES.sessions),
    parsed((line: SessionLine) => {
      const shard = line.shard ?? line.records?.[0]?.shard;
      counter.session(line, shard === undefined ? undefined : groups.get(shard));
    }),
  );
  await eachLine(
    join(root, LINE_FILES.quarantine),
    parsed((line: QuarantineLine) => counter.quarantined(line)),
  );
  await eachLine(
    join(root, LINE_FILES.findings),
    parsed((line: FindingLine) => counter.finding(line)),
  );
  return counter.take();
}

/** Reads the records of a shard. @param take called with each record, without its final newline; valid until it returns */
async function eachRecord(root: string, path: string, take: (record: Uint8Array) => void): Promise<void> {
  const begins = recordStart(path);
  if (begins === undefined) return eachLine(join(root, path), take);
  const records = new RecordLines(begins);
  await eachLine(join(root, path), (line) => {
    const record = records.add(line);
    if (record !== undefined) take(record.content);
  });
  const last = records.end();
  if (last !== undefined) take(last.content);
}
