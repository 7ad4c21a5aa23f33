/** `turnmill verify`: does a dataset hold what its manifest and its ledger say? */
import { exitCodeOf, SUCCESS } from '../exit-code.ts';
import { jsonOption } from '../options/answer.ts';
import { logLevelOption } from '../options/run.ts';
import type { Command } from './command.ts';

export const verify: Command = {
  name: 'verify',
  summary: 'Recount a dataset: hashes, records, ledger',
  usage: 'OUT [options]',
  options: [jsonOption, logLevelOption],
  examples: [['verify dataset/', 'Exits with 0, or tells each problem and exits with 65']],
  words: { least: 1, most: 1, missing: 'name the folder of a dataset' },
  stoppable: false,
  async run({ words: [out = ''], values }) {
    const [{ verifyDataset }, { endPrinting, printLine }, { printable }, { showCount }] = await Promise.all([
      import('../../verify/verify-dataset.ts'),
      import('../print.ts'),
      import('../../printable.ts'),
      import('../sizes.ts'),
    ]);
    const result = await verifyDataset(out);
    const { problems, problemCount, records, shards, sources } = result;
    if (values.json === true) await printLine(JSON.stringify(result));
    else {
      for (const { file, message } of problems) await printLine(printable(`${file}: ${message}`));
      if (problemCount > problems.length)
        await printLine(`... and ${showCount(problemCount - problems.length)} more`);
      const what = `${showCount(records)} records in ${showCount(shards)} shards from ${showCount(sources)} sources`;
      const verdict =
        problemCount === 0 ? 'as its manifest and ledger say' : `${showCount(problemCount)} problems`;
      await printLine(`${printable(out)}: ${what}: ${verdict}`);
    }
    await endPrinting();
    return problemCount === 0 ? SUCCESS : exitCodeOf('invalid-dataset');
  },
};
