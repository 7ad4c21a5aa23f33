/** `turnmill verify`: checks a dataset against its manifest and its ledger. */

import { failUsage } from '../../errors.ts';
import { optionsIn } from '../../settings/option.ts';
import { resolveS3Options, s3In } from '../../settings/s3-settings.ts';
import { exitCodeOf, SUCCESS } from '../faults.ts';
import { JSON_OPTION, LOG_OPTION } from '../options/shared-options.ts';
import { VERIFY_OPTIONS } from '../options/show-options.ts';
import { s3ReadOptions } from '../options/values.ts';
import type { Command } from './command.ts';

export const verify: Command = {
  name: 'verify',
  summary: 'Check the hashes, records and ledger of a dataset',
  usage: 'OUT [options]',
  options: [...optionsIn({ ...VERIFY_OPTIONS, ...JSON_OPTION, ...LOG_OPTION }), ...s3ReadOptions],
  examples: [
    ['verify dataset/', 'Exit with 0, or report each problem and exit with 65'],
    ['verify dataset/ --redacted', 'Also search all files for values that look like secrets'],
  ],
  words: { least: 1, most: 1, missing: 'name the folder of a dataset' },
  stoppable: false,
  async run({ words: [out = ''], values, host }) {
    const [{ verifyDataset }, { withDataset }, { printable }, { plural, showCount }] = await Promise.all([
      import('../../verify/verify-dataset.ts'),
      import('../../dataset/store/with-dataset.ts'),
      import('../../printable.ts'),
      import('../../sizes.ts'),
    ]);
    const s3 = resolveS3Options(s3In(values));
    const [{ rulesIn }, { SeenSecrets }] = await Promise.all([
      import('../../settings/redaction.ts'),
      import('../../ledger/seen-secrets.ts'),
    ]);
    if (values.redactRules !== undefined && values.redacted !== true)
      failUsage('verify: --redact-rules works only together with --redacted');
    const rules = values.redacted === true ? await rulesIn(values.redactRules) : undefined;
    const seen = new SeenSecrets();
    const result = await withDataset(
      out,
      s3,
      () => true,
      (folder) => verifyDataset(folder, { rules, onRecord: (text) => seen.see(text) }),
    );
    const { problems, problemCount, records, shards, sources } = result;
    if (values.json === true) await host.print(JSON.stringify({ ...result, looks_secret: seen.counts }));
    else {
      for (const { file, message } of problems) await host.print(printable(`${file}: ${message}`));
      if (problemCount > problems.length)
        await host.print(`... and ${showCount(problemCount - problems.length)} more`);
      if (seen.line !== undefined) await host.print(`${printable(out)}: ${seen.line}`);
      const what = `${plural(records, 'record')} in ${plural(shards, 'shard')} from ${plural(sources, 'source')}`;
      const verdict = problemCount === 0 ? 'no problems' : plural(problemCount, 'problem');
      await host.print(`${printable(out)}: ${what}: ${verdict}`);
    }
    await host.endPrinting();
    return problemCount === 0 ? SUCCESS : exitCodeOf('invalid-dataset');
  },
};
