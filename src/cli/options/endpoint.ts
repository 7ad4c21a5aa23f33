/** Options of the commands that send requests to a model, and its key. */
import { TurnmillError } from '../../errors.ts';
import { MAX_TEXT_BYTES } from '../../own-file.ts';
import { type Option, option } from './option.ts';
import { size, text } from './value-types.ts';

export const endpointOption: Option = option<'endpoint'>({
  name: 'endpoint',
  group: 'Run',
  describe:
    'Send requests to this chat completions API: its base URL with the version, such as http://127.0.0.1:8000/v1',
  type: text('URL'),
});

export const modelOptions: readonly Option[] = [
  option<'model'>({
    name: 'model',
    group: 'Run',
    describe: 'Name of the model at the endpoint',
    type: text('TEXT'),
  }),
  option<'keyEnv'>({
    name: 'keyEnv',
    group: 'Run',
    describe: 'Read the API key of the endpoint from this environment variable',
    type: text('TEXT'),
  }),
];

export const maxAnswerOption: Option = option<'maxAnswer'>({
  name: 'maxAnswer',
  group: 'Run',
  advanced: true,
  describe: 'Refuse an answer of the endpoint that is longer than SIZE',
  default: '16MiB',
  type: size(MAX_TEXT_BYTES),
});

/** Reads the key from the environment: a key passed as a flag would show up in process listings. */
export function keyOf(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const key = process.env[name];
  if (key === undefined || key === '')
    throw new TurnmillError('usage', `--key-env: the environment variable ${name} is not set`);
  return key;
}
