/** Implements `turnmill calibrate`: asks the grader and prints how its scores compare. */
import { failUsage } from '../errors.ts';
import { type Calibration, type CalibrationLine, calibrate } from '../job/calibrate.ts';
import type { ConfusionCell } from '../loop/grader.ts';
import { printable } from '../printable.ts';
import { plural, showCount } from '../sizes.ts';
import type { Request } from './commands/command.ts';
import { REJECTIONS, SUCCESS } from './faults.ts';
import { keyOf } from './options/model-options.ts';

/** Most scores in the table that is printed. */
const MAX_COLUMNS = 12;

/** @returns the exit status: 3 if a sample was skipped */
export async function runCalibrate({ words: [deck = ''], values, signal, host }: Request): Promise<number> {
  const { endpoint: base, model, keyEnv, concurrency, out, resume, maxAnswer: maxAnswerBytes, json } = values;
  if (base === undefined || model === undefined) failUsage('calibrate needs --endpoint and --model');
  if (resume === true && out === undefined)
    failUsage('--resume needs --out, the folder with the answers of an earlier run');
  const key = keyOf(keyEnv);
  const { lines, summary } = await calibrate({
    ...{ deck, base, model, key, concurrency, out, resume, maxAnswerBytes, signal },
  });
  if (json === true) for (const line of [...lines, summary]) await host.print(JSON.stringify(line));
  else {
    for (const line of lines)
      if (line.score !== line.expected || line.skipped !== undefined) await host.print(textOf(line));
    for (const text of summaryOf(summary)) await host.print(text);
  }
  await host.endPrinting();
  return summary.skipped === 0 ? SUCCESS : REJECTIONS;
}

function textOf(result: CalibrationLine): string {
  const { id, source, number, line, expected, score, reason, skipped, problem = '' } = result;
  const place = line === null ? `${source}, sample ${number}` : `${source}:${line}`;
  const name = printable(id === null ? place : `${place} (${id})`);
  if (skipped !== undefined) return `${name}: skipped, ${skipped}: ${printable(problem)}`;
  return `${name}: score ${score}, expected ${expected}${reason === null ? '' : `: ${printable(reason ?? '')}`}`;
}

function summaryOf(summary: Calibration['summary']): readonly string[] {
  const { samples, graded, skipped, agreed, ...shares } = summary;
  const { agreement, mean_absolute_difference: difference, confusion } = shares;
  const counts = `${plural(samples, 'sample')}: ${showCount(graded)} graded, ${showCount(skipped)} skipped`;
  if (agreement === null || difference === null) return [counts];
  const share = `${(agreement * 100).toFixed(1)} %`;
  return [
    counts,
    `agreement ${share} (${showCount(agreed)} of ${showCount(graded)}), mean absolute difference ${difference.toFixed(2)}`,
    ...tableOf(confusion),
  ];
}

/** Formats the counts: a row for each expected score, a column for each score of the grader. */
function tableOf(cells: readonly ConfusionCell[]): readonly string[] {
  const ascending = (scores: readonly number[]): readonly number[] =>
    [...new Set(scores)].sort((a, b) => a - b);
  const rows = ascending(cells.map(({ expected }) => expected));
  const columns = ascending(cells.map(({ score }) => score));
  if (Math.max(rows.length, columns.length) > MAX_COLUMNS)
    return [
      `no table: more than ${MAX_COLUMNS} different scores; use --json, or see confusion in summary.json of --out`,
    ];
  const countOf = (row: number, column: number): string =>
    String(cells.find(({ expected, score }) => expected === row && score === column)?.count ?? '.');
  const table = [
    ['expected', ...columns.map((score) => `scored ${score}`)],
    ...rows.map((row) => [String(row), ...columns.map((column) => countOf(row, column))]),
  ];
  const widths = table[0]?.map((_, i) => Math.max(...table.map((line) => line[i]?.length ?? 0))) ?? [];
  return table.map((line) => line.map((cell, i) => cell.padStart(widths[i] ?? 0)).join('  '));
}
