/** Renders the section of RESULTS.md about logs in an object store. */
import { machineText, markdownTable, ratioText } from './render-section.ts';
import { pairedRatio, type S3Result, type S3Row, spreadOf } from './results.ts';

const headings = [
  ...['corpus', 'objects', 'MB', 'files', 'store', 'download'],
  ...['store - files', '(store - files) / download', 'peak RSS MB, files and store'],
];

/** CPU milliseconds per MB, by round. */
const costs = ({ samples, corpus }: S3Row, name: string): readonly number[] =>
  samples[name]?.map(({ cpuSeconds }) => (cpuSeconds * 1e9) / corpus.bytes) ?? [];

const peak = ({ samples }: S3Row, name: string): string =>
  ((spreadOf(samples[name]?.map(({ peakRssBytes }) => peakRssBytes) ?? [])?.median ?? 0) / 1e6).toFixed(0);

const cells = (row: S3Row): readonly string[] => {
  const [local, s3, download] = ['local', 's3', 'download'].map((name) => costs(row, name));
  const more = s3?.map((cost, round) => cost - (local?.[round] ?? 0)) ?? [];
  return [
    row.name,
    String(row.objects),
    (row.corpus.bytes / 1e6).toFixed(0),
    ...[local, s3, download, more].map((values) => ratioText(spreadOf(values ?? []))),
    ratioText(pairedRatio(more, download ?? [])),
    `${peak(row, 'local')}, ${peak(row, 's3')}`,
  ];
};

export const renderS3 = ({ machine, rows }: S3Result): string =>
  [
    '## From a store',
    '',
    'CPU milliseconds per MB of logs, whole processes, one worker: a build from files, the same build from a store on the',
    'loopback interface, and a download of the objects with `node:http` that discards the bytes; taken in turn,',
    `${rows[0]?.samples.s3?.length ?? 0} rounds. The store's own time is not included.`,
    `Measured ${machineText(machine)}.`,
    '',
    ...markdownTable(headings, rows.map(cells)),
    '',
  ].join('\n');
