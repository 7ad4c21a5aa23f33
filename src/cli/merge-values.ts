/** The values of the configuration file under those of the flags: flags win. */
import { TurnmillError } from '../errors.ts';
import type { Values } from './options/option.ts';

/** Throws `config` when the file contradicts itself. */
export function mergeValues(config: Values, flags: Values): Values {
  const other = config.format?.find((name) => name !== 'chat-inline');
  if (config.jsonToolCalls === true && other !== undefined) {
    const text = `configuration file ${flags.config}: jsonToolCalls is format chat-inline, not ${other}`;
    throw new TurnmillError('config', text, { subject: flags.config as string });
  }
  const { format, jsonToolCalls, ...rest } = config;
  // Both say what the format is: a flag for one of them replaces what the file says with either.
  const ofFile = flags.format === undefined && flags.jsonToolCalls === undefined;
  return {
    ...rest,
    ...(ofFile && format !== undefined ? { format } : {}),
    ...(ofFile && jsonToolCalls !== undefined ? { jsonToolCalls } : {}),
    ...flags,
    ...(config.onFinding === undefined ? {} : { onFinding: { ...config.onFinding, ...flags.onFinding } }),
  };
}
