/** Renders the section of RESULTS.md about warming up. */
import { commandsBlock, machineText, markdownTable, ratioText } from './render-section.ts';
import { pairedRatio, spreadOf, type WarmResult, type WarmRow } from './results.ts';

const warmCells = ({ kind, corpus, rounds }: WarmRow): readonly string[] => {
  const first = rounds.map(({ builds }) => builds[0] ?? Number.NaN);
  const last = rounds.map(({ builds }) => builds.at(-1) ?? Number.NaN);
  const whole = rounds.map((round) => round.whole);
  const script = rounds.map((round) => round.script);
  return [
    `${kind}, ${(corpus.bytes / 1e6).toFixed(0)} MB, ${corpus.sessions} sessions`,
    ...[script, whole, first, last].map((values) => ratioText(spreadOf(values))),
    ratioText(pairedRatio(whole, script)),
    ratioText(pairedRatio(last, script)),
  ];
};

const headings = [
  ...['corpus', 'script, CPU s', 'the command, CPU s', 'first build in a process, CPU s', 'fifth, CPU s'],
  ...['command / script', 'fifth build / script'],
];

export const renderWarm = ({ machine, rows }: WarmResult): string =>
  [
    '## Warming up',
    '',
    'The same logs built five times in one process with the library, one worker, beside the command as a whole process and the Python',
    'script with orjson, in turn. The fifth build finds its code compiled and optimised, which no file can keep for the next process.',
    `Ratios are paired, with the lowest and the highest of the rounds. Measured ${machineText(machine)}.`,
    '',
    ...markdownTable(headings, rows.map(warmCells)),
    '',
    ...commandsBlock(rows.flatMap(({ commands }) => commands.map((command) => ({ command })))),
  ].join('\n');
