/** Replays a quarantine and tells what came of it. */
import { join } from 'node:path';
import { type ReplayRequest, replayQuarantine } from '../job/replay.ts';
import { printable } from '../printable.ts';
import { REJECTIONS, SUCCESS } from './exit-code.ts';
import { endPrinting, printLine } from './print.ts';
import { showCount } from './sizes.ts';

/** @returns the exit status: 3 when something could not be replayed */
export async function tellReplay(request: ReplayRequest, json: boolean): Promise<number> {
  const result = await replayQuarantine(request);
  const { replayed, files, left, examples } = result;
  if (json) await printLine(JSON.stringify(result));
  else {
    const where =
      files === 0 ? '' : ` in ${showCount(files)} logs below ${printable(join(request.into, '/'))}`;
    await printLine(`${showCount(replayed)} records replayed${where}`);
    for (const [why, n] of Object.entries(left)) await printLine(`${showCount(n)} not replayed: ${why}`);
    for (const { where: at, why } of examples) await printLine(printable(`  ${at}  ${why}`));
  }
  await endPrinting();
  return Object.keys(left).length > 0 ? REJECTIONS : SUCCESS;
}
