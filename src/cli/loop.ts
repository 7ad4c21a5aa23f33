/** Implements `turnmill loop`: runs the loops of a dataset and prints their results. */
import { failUsage } from '../errors.ts';
import { type LoopLine, loop, type TurnsLine } from '../job/loop.ts';
import { requireFolder } from '../object-store/url.ts';
import { printable } from '../printable.ts';
import { showCount } from '../sizes.ts';
import type { Request } from './commands/command.ts';
import { REJECTIONS, SUCCESS } from './faults.ts';
import { keyOf } from './options/model-options.ts';

/** @returns the exit status: 3 if a record did not close, or a model's call differs from the recorded one */
export async function runLoops({ words: [dataset = ''], values, signal, host }: Request): Promise<number> {
  const { endpoint, model, keyEnv, eachTurn, json, maxAnswer: maxAnswerBytes } = values;
  requireFolder('loop', dataset);
  if (endpoint !== undefined && model === undefined) failUsage('loop: --endpoint needs --model');
  const request = { ...values, dataset, key: keyOf(keyEnv), maxAnswerBytes, signal };
  const lines: (LoopLine | TurnsLine)[] = [];
  const show = (line: LoopLine | TurnsLine): void => {
    if (json === true || isNotable(line)) lines.push(line);
  };
  const { records, closed, turns, sameTools, sameArguments, unanswered, missing } = await loop(request, show);
  if (missing !== undefined) host.tell(`turnmill: ${printable(missing)}\n`);
  for (const line of lines) await host.print(json === true ? JSON.stringify(line) : textOf(line));
  if (json !== true) {
    const total = showCount(records);
    await host.print(
      eachTurn === true
        ? `${showCount(turns)} turns of ${total} records: ${showCount(sameTools)} with the recorded tools, ${showCount(sameArguments)} with the recorded arguments too${without(unanswered)}`
        : `${showCount(closed)} of ${total} records close`,
    );
  }
  await host.endPrinting();
  return closed === records ? SUCCESS : REJECTIONS;
}

const isNotable = (line: LoopLine | TurnsLine): boolean =>
  'turns' in line ? line.same_arguments < line.turns : line.end !== 'done' || line.drifted > 0;

function textOf(line: LoopLine | TurnsLine): string {
  const session = printable(line.session ?? 'no id');
  if ('turns' in line)
    return `${session}: ${line.turns} turns, ${line.same_tools} with the recorded tools, ${line.same_arguments} with the recorded arguments too${without(line.unanswered)}`;
  const { end, steps, same, drifted, missed, repeated, unused, first, problem } = line;
  const counts = `${steps} steps, ${same} calls as recorded, ${drifted} drifted, ${missed} missed, ${repeated} repeated, ${unused} unused`;
  const where = first === undefined ? '' : `; first at step ${first.step}: ${printable(first.got.name)}`;
  const why = problem === undefined ? '' : ` (${problem})`;
  return `${session}: ${end}${why}, ${counts}${where}`;
}

const without = (unanswered: number): string =>
  unanswered === 0 ? '' : `, ${showCount(unanswered)} without an answer that can be used`;
