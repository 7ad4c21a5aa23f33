/** Renders RESULTS.md from the results files and the notes. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import {
  type Aim,
  aims,
  type CorpusAim,
  corpusAims,
  type Figures,
  figuresOf,
  medianWithin,
  otherCorpora,
  otherRows,
} from './harness/aims.ts';
import { renderMemory, renderMicro, renderNightly, renderProfile } from './harness/render-benches.ts';
import { renderS3 } from './harness/render-s3.ts';
import { markdownTable, renderSection } from './harness/render-section.ts';
import { renderWarm } from './harness/render-warm.ts';
import { atRoot } from './harness/repository.ts';
import {
  AIMS_PREFIX,
  type Result,
  type ResultsPlace,
  readResults,
  type SectionResult,
  type Spread,
} from './harness/results.ts';
import { sectionNames } from './harness/sections.ts';

const notesFile = 'bench/notes.json';

/** Reads the notes by id of the aim. Throws on an unknown id. */
const readNotes = (): Readonly<Record<string, string>> => {
  const notes = JSON.parse(readFileSync(atRoot(notesFile), 'utf8')) as Record<string, string>;
  const unknown = Object.keys(notes).find(
    (id) => ![...corpusAims, ...otherCorpora, ...otherRows, ...aims].some((aim) => aim.id === id),
  );
  if (unknown !== undefined) throw new Error(`${notesFile}: there is no aim '${unknown}'`);
  return notes;
};

const NOT_MEASURED = 'not measured';

/** Two cells: the measured value and the aim. */
const cellsOf = (spread: Spread | undefined, least: number, most: number): readonly [string, string] => {
  const answer = medianWithin(spread, least, most);
  const isAim = least > 0 || most < Number.POSITIVE_INFINITY;
  const aim = least > 0 ? `at least ${least}` : `at most ${most}`;
  if (!isAim) return [answer?.measured ?? NOT_MEASURED, ''];
  return [
    answer?.measured ?? NOT_MEASURED,
    `${aim}${answer === undefined ? '' : answer.met ? ': yes' : ': no'}`,
  ];
};

const SIMDJSON = 'simdjson-ondemand';
const corpusRow = (
  { id, work, simdjson = Number.POSITIVE_INFINITY, faster = 0, orjson = Number.POSITIVE_INFINITY }: CorpusAim,
  { section, ratio }: Figures,
): readonly string[] => {
  const corpus = section(id)?.corpus;
  return [
    corpus === undefined ? work : `${work}, ${(corpus.bytes / 1e6).toFixed(0)} MB`,
    ...cellsOf(ratio(id, 'turnmill', SIMDJSON, 'cpu'), 0, simdjson),
    ...cellsOf(ratio(id, 'orjson', 'turnmill', 'wall'), faster, Number.POSITIVE_INFINITY),
    ...cellsOf(ratio(id, 'turnmill', 'orjson', 'cpu'), 0, orjson),
  ];
};

const CORPUS_HEADING: readonly string[] = [
  ...['work', 'CPU / simdjson On-Demand', 'aim', 'times as fast as a Python script with orjson', 'aim'],
  ...['CPU / that script', 'aim'],
];

/** Two cells: the measured value, and the aim with whether it is met. */
const answerCells = ({ aim, answer }: Aim, figures: Figures): readonly [string, string] => {
  const answered = answer(figures);
  if (answered === undefined) return [NOT_MEASURED, aim];
  return [answered.measured, `${aim}: ${answered.met ? 'yes' : 'no'}`];
};

/** Renders the table of the aims and that of the other corpora. */
const renderFirst = (results: readonly Result[]): string => {
  const notes = readNotes();
  const figures = figuresOf(results);
  const noteOf = ({ id }: { readonly id: string }): string => notes[id] ?? '';
  const blank = CORPUS_HEADING.slice(1).map(() => '');
  const rows = [
    ...corpusAims.map((aim) => [...corpusRow(aim, figures), '', '', noteOf(aim)]),
    ...otherRows.map((aim) => [aim.work, ...blank, ...answerCells(aim, figures), noteOf(aim)]),
  ];
  return [
    '## The aims',
    '',
    'One worker unless stated otherwise. Ratios are paired, with the lowest and the highest of the rounds. "times as fast" is',
    'wall time, and above 1 turnmill is faster; "CPU" is user plus system time. simdjson writes nothing and does not read gzip.',
    '',
    ...markdownTable([...CORPUS_HEADING, 'other figures', 'aim', 'note'], rows),
    '',
    '## Other corpora',
    '',
    ...markdownTable(
      [...CORPUS_HEADING, 'note'],
      otherCorpora.map((aim) => [...corpusRow(aim, figures), noteOf(aim)]),
    ),
    '',
  ].join('\n');
};

const renderAims = (results: readonly Result[]): string => {
  const notes = readNotes();
  const figures = figuresOf(results);
  const rows = aims.map(({ id, work, aim, answer }) => {
    const answered = answer(figures);
    const met = answered === undefined ? '' : answered.met ? 'yes' : 'no';
    return [work, aim, answered?.measured ?? NOT_MEASURED, met, notes[id] ?? ''];
  });
  return ['## Other aims', '', ...markdownTable(['work', 'aim', 'measured', 'met', 'note'], rows), ''].join(
    '\n',
  );
};

const introduction = `# Results

**Read this first.** The machine is shared and noisy: only ratios of runs taken in turn, in the
same round, mean anything; seconds and MB/s are only illustrations. Input is in the page cache. Every row is a whole
process from start to exit, the median of its rounds (lowest to highest in brackets). "CPU" is user plus
system time of all threads and child processes. MB/s is input bytes (before gzip) per wall second.

**They do not do the same work.** turnmill validates every byte, applies the cleanup rules, keeps a ledger
of every line, writes reports and a manifest with checksums, and syncs to disk. The Node and Python peers
only parse, pick the last longest entry, and write it. simdjson writes nothing and On-Demand does not
validate what it skips; jq and DuckDB leave out parts too: bench/README.md lists them.

Generated by \`npm run bench\` from bench/results and bench/notes.json; never edited by hand.
`;

const rank = ({ name }: SectionResult): number => {
  const kinds: readonly string[] = sectionNames;
  return kinds.indexOf(name.replace(AIMS_PREFIX, '').split('-')[0] ?? name);
};

const inOrder = (a: SectionResult, b: SectionResult): number =>
  rank(a) - rank(b) || b.corpus.bytes - a.corpus.bytes;

const isSection = (result: Result): result is SectionResult => result.type === 'section';

const render = (result: Result): string => {
  switch (result.type) {
    case 'section':
      return renderSection(result);
    case 'memory':
      return renderMemory(result);
    case 'profile':
      return renderProfile(result);
    case 'micro':
      return renderMicro(result);
    case 'nightly':
      return renderNightly(result);
    case 's3':
      return renderS3(result);
    case 'warm':
      return renderWarm(result);
  }
};

/** Writes the page, or removes it if there are no results. */
export const writeReport = (place: ResultsPlace): void => {
  const results = readResults(place);
  const path = atRoot(place.page);
  if (results.length === 0) {
    if (existsSync(path)) rmSync(path);
    return;
  }
  const sections = results.filter(isSection).sort(inOrder);
  const others = (['warm', 'nightly', 's3', 'memory', 'profile', 'micro'] as const).flatMap((type) =>
    results.filter((result) => result.type === type),
  );
  const parts = [
    introduction,
    renderFirst(results),
    renderAims(results),
    ...[...sections, ...others].map(render),
  ];
  writeFileSync(path, parts.join('\n'));
};
