/** Options of the commands that send requests to a model, loop and calibrate, and its key. */
import { failUsage } from '../../errors.ts';
import { MAX_TEXT_BYTES } from '../../own-file.ts';
import type { Option } from '../../settings/option.ts';
import { choice, flag, size, text, wholeNumber } from '../../settings/value-types.ts';

export const ENDPOINT_OPTIONS = {
  endpoint: {
    group: 'Run',
    help: 'Send requests to this chat completions API: its base URL with the version, such as http://127.0.0.1:8000/v1',
    type: text('URL'),
  } as Option<string>,
  model: { group: 'Run', help: 'Name of the model at the endpoint', type: text('TEXT') } as Option<string>,
  keyEnv: {
    group: 'Run',
    help: 'Read the API key of the endpoint from this environment variable',
    type: text('TEXT'),
  } as Option<string>,
  maxAnswer: {
    group: 'Run',
    advanced: true,
    help: 'Refuse an answer of the endpoint that is longer than SIZE',
    shown: '16MiB',
    type: size(MAX_TEXT_BYTES),
  } as Option<number>,
};

export const LOOP_OPTIONS = {
  prompt: {
    group: 'Run',
    help: 'Send messages, or one text with history and request, as agents with a text protocol do (astracodex)',
    shown: 'messages',
    type: choice(['messages', 'astracodex']),
  } as Option<'messages' | 'astracodex'>,
  eachTurn: {
    group: 'Run',
    help: 'Request each reply separately, with the recorded history before it',
    type: flag,
  } as Option<boolean>,
  maxSteps: {
    group: 'Run',
    help: 'Stop after N replies to one user message',
    shown: '8',
    type: wholeNumber(1),
  } as Option<number>,
  onMiss: {
    group: 'Run',
    help: 'When a call has no recorded result, stop, or return an error to the model (tell)',
    shown: 'stop',
    type: choice(['stop', 'tell']),
  } as Option<'stop' | 'tell'>,
  out: {
    alias: 'o',
    group: 'Output',
    help: 'Write loop.jsonl, and with --each-turn continuations.jsonl, to this folder',
    type: text('DIR'),
  } as Option<string>,
  prefer: {
    group: 'Output',
    advanced: true,
    help: 'With --each-turn: also write preferences.jsonl, where the recorded reply is the chosen one',
    type: choice(['recorded'], 'SIDE'),
  } as Option<'recorded'>,
};

export const CALIBRATE_OPTIONS = {
  concurrency: {
    group: 'Run',
    help: 'Send at most N requests at the same time',
    shown: '4',
    type: wholeNumber(1),
  } as Option<number>,
  out: {
    alias: 'o',
    group: 'Output',
    help: 'Write results.jsonl and summary.json to this folder, and keep each answer there as it comes',
    type: text('DIR'),
  } as Option<string>,
  resume: {
    group: 'Output',
    help: 'Reuse the answers in the folder of --out; request only those that are missing or unusable, or whose sample, deck or model has changed',
    type: flag,
  } as Option<boolean>,
};

/** Reads the key from the environment: a key passed as a flag would show up in process listings. */
export function keyOf(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const key = process.env[name];
  if (key === undefined || key === '') failUsage(`--key-env: the environment variable ${name} is not set`);
  return key;
}
