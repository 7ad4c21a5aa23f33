/** Turns the options of a command into the argument of `resolveSettings`. */
import { failUsage } from '../../errors.ts';
import type { BuildRequest } from '../../settings/plug-in-files.ts';
import { s3In } from '../../settings/s3-settings.ts';
import { SETTINGS } from '../../settings/table.ts';
import type { Values } from './values.ts';

export function settingsOf(inputs: readonly string[], values: Values): BuildRequest {
  const { update, follow, ...same } = values;
  const own = Object.entries(same).filter(([name]) => Object.hasOwn(SETTINGS, name));
  return {
    ...Object.fromEntries(own),
    inputs,
    plugins: values.plugin,
    out: outOf(values),
    update: update !== undefined,
    format: formatOf(values),
    follow: followOf(values),
    s3: s3In(values),
  };
}

function followOf({ follow, followOutside }: Values): 'inside' | 'anywhere' | undefined {
  if (followOutside === true) return 'anywhere';
  return follow === true ? 'inside' : undefined;
}

/** `--update DIR` also names the output. */
function outOf({ out, update, dryRun }: Values): string | undefined {
  if (dryRun === true) return undefined;
  if (out !== undefined && update !== undefined && out !== update)
    failUsage(`--out ${out} and --update ${update} name different folders`);
  return update ?? out;
}

function formatOf({ format, jsonToolCalls }: Values): readonly string[] | undefined {
  if (jsonToolCalls !== true) return format;
  const other = format?.find((name) => name !== 'chat-inline');
  if (other === undefined) return ['chat-inline'];
  failUsage(`--json-tool-calls means --format chat-inline, so it cannot be combined with --format ${other}`);
}
