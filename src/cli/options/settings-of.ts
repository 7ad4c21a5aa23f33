/** Turns the options of a command into the argument of `resolveSettings`. */
import { TurnmillError } from '../../errors.ts';
import type { BuildRequest } from '../../settings/plug-in-files.ts';
import type { Values } from './option.ts';
import { s3Of } from './s3.ts';

/** Options with the same name as their setting. */
const SAME = [
  ...['dialect', 'userTurn', 'sessionBy', 'select', 'only', 'limit'],
  ...['maxDepth', 'maxMessages', 'minRead', 'maxElements', 'maxBranches', 'maxSources', 'maxRatio'],
  ...[
    'formatOptions',
    'cleanup',
    'reasoning',
    'systemText',
    'toolDefinitions',
    'meta',
    'groupBy',
    'integrity',
  ],
  ...['replace', 'allowShrink', 'resume', 'checksum', 'report', 'compress', 'mode', 'workers', 'profile'],
  'allowEmpty',
  ...['onReject', 'maxQuarantine', 'quarantineContent'],
] as const satisfies readonly (keyof Values & keyof BuildRequest)[];

export function settingsOf(inputs: readonly string[], values: Values): BuildRequest {
  const same = Object.fromEntries(SAME.map((name) => [name, values[name]]));
  return {
    ...(same as Pick<BuildRequest, (typeof SAME)[number]>),
    inputs,
    plugins: values.plugin,
    out: outOf(values),
    update: values.update !== undefined,
    format: formatOf(values),
    rejectOn: rulesOn(values, 'reject'),
    keepOn: rulesOn(values, 'keep'),
    maxLineBytes: values.maxLine,
    maxConversationBytes: values.maxConversation,
    maxPartBytes: values.maxPart,
    maxDecompressedBytes: values.maxDecompressed,
    shardSizeBytes: values.shardSize,
    quarantineSizeBytes: values.quarantineSize,
    follow: followOf(values),
    s3: s3Of(values),
  };
}

function rulesOn({ onFinding }: Values, decision: 'reject' | 'keep'): readonly string[] | undefined {
  if (onFinding === undefined) return undefined;
  return Object.keys(onFinding)
    .filter((rule) => onFinding[rule] === decision)
    .sort();
}

function followOf({ follow, followOutside }: Values): 'inside' | 'anywhere' | undefined {
  if (followOutside === true) return 'anywhere';
  return follow === true ? 'inside' : undefined;
}

/** `--update DIR` also names the output. */
function outOf({ out, update, dryRun }: Values): string | undefined {
  if (dryRun === true) return undefined;
  if (out !== undefined && update !== undefined && out !== update)
    throw new TurnmillError('usage', `--out ${out} and --update ${update} name different folders`);
  return update ?? out;
}

function formatOf({ format, jsonToolCalls }: Values): readonly string[] | undefined {
  if (jsonToolCalls !== true) return format;
  const other = format?.find((name) => name !== 'chat-inline');
  if (other === undefined) return ['chat-inline'];
  throw new TurnmillError(
    'usage',
    `--json-tool-calls means --format chat-inline, so it cannot be combined with --format ${other}`,
  );
}
