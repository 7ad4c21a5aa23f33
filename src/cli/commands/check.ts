/** `turnmill check`: runs everything that `build` runs, but writes nothing. */
import { TurnmillError } from '../../errors.ts';
import { jsonOption, targetOption } from '../options/answer.ts';
import { build } from './build.ts';
import type { Command, Request } from './command.ts';

const WRITE_OPTIONS: ReadonlySet<string> = new Set([
  'out',
  'replace',
  'update',
  'checksum',
  'resume',
  'report',
  'dryRun',
  'mode',
  'shardSize',
  'compress',
  'quarantineContent',
  'quarantineSize',
  's3Sse',
  's3PartSize',
  's3Checksum',
  's3Condition',
  's3Grace',
]);

export const check: Command = {
  name: 'check',
  summary: 'Run everything that build runs, but write no dataset',
  usage:
    'INPUT... [options]\n\nINPUT is a log, a folder of logs, s3://BUCKET/PREFIX/, s3://BUCKET/KEY, or - for standard input.',
  options: [targetOption, jsonOption, ...build.options.filter(({ name }) => !WRITE_OPTIONS.has(name))],
  examples: [
    ['check logs/', 'Show which dialects the logs are in, and what would be rejected'],
    [
      'check logs/ --target trl',
      'Show what TRL and its templates would drop, alter or refuse, record by record',
    ],
  ],
  words: build.words,
  stoppable: true,
  async run(request) {
    const { values } = request;
    if (values.target !== undefined) return checkTargets(request);
    const { runWhole } = await import('../run-whole.ts');
    return runWhole({ ...request, values: { ...values, dryRun: true } }, true);
  },
};

async function checkTargets(request: Request): Promise<number> {
  const { values } = request;
  if (values.format !== undefined || values.jsonToolCalls === true) {
    throw new TurnmillError(
      'usage',
      'check: --target sets the format, so it cannot be combined with --format',
    );
  }
  const { checkTarget } = await import('../check-target.ts');
  return checkTarget(request);
}
