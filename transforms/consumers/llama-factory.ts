/**
 * Rules for records of `sharegpt` that some templates of LLaMA-Factory refuse or change, according to its code (0.9.5),
 * which `npm run test:loaders` runs (judge_all_factory.py). A record that it refuses ends its preprocessing with an error.
 * The requirements of all templates are rules of the format.
 */
import { LETTER_N, LETTER_T, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { elementsOf, membersOf, valueBytes, valuesOf } from '../json/members.ts';
import type { Message } from '../model/element.ts';
import { objectBytes, stringValue } from '../model/message.ts';
import { type ConsumedRecord, type ConsumerRule, where } from './consumer-rule.ts';
import { hasTool } from './templates.ts';

/** The list of several calls in the value of a turn, which may begin with a text or a thought. */
const SEVERAL = /(?:^|\n<tool_call>|<\/think>\n\n)\[\{"name": /;
const CALL_TAG = '\n<tool_call>';
const THOUGHT_TAG = '<think>\n';
const MEDIA_TAG = /<(?:image|video|audio)>/;

/** Whether the value of a turn passes a test, which also gets whether the turn is one of calls. */
const turns =
  (test: (value: string, hasCalls: boolean) => boolean) =>
  (record: ConsumedRecord): readonly number[] =>
    where(record, ({ bytes }: Message) =>
      test(stringValue(bytes, 'value') ?? '', stringValue(bytes, 'from') === 'function_call'),
    );

const isThoughtAndCall = (value: string, hasCalls: boolean): boolean =>
  hasCalls && value.startsWith(THOUGHT_TAG) && !value.includes(CALL_TAG);

/** Whether the tool format `default` fails on the definition of a function. */
function isRefused(tool: Uint8Array): boolean {
  const parameters = objectBytes(objectBytes(tool, 'function') ?? tool, 'parameters');
  const properties = parameters && objectBytes(parameters, 'properties');
  if (parameters === undefined || properties === undefined) return true;
  const members = membersOf(properties);
  if (members.length > 0 && valueBytes(parameters, 'required')?.[0] === LETTER_N) return true;
  return members.some(({ valueStart, end }) => isRefusedProperty(properties.subarray(valueStart, end)));
}

function isRefusedProperty(property: Uint8Array): boolean {
  if (property[0] !== OPEN_OBJECT) return true;
  const [values, items] = valuesOf(property, ['enum', 'items']);
  if (items?.[0] === LETTER_T || (items?.[0] === OPEN_ARRAY && elementsOf(items).length > 0)) return true;
  return values?.[0] === OPEN_ARRAY && elementsOf(values).some((value) => value[0] !== QUOTE);
}

const rules: Readonly<Record<string, Pick<ConsumerRule, 'problem' | 'broken'>>> = {
  'reader-parallel-calls': {
    problem:
      "has several calls at once: LLaMA-Factory's tool format `glm4` refuses them, and its preprocessing ends there",
    broken: turns((value, hasCalls) => hasCalls && SEVERAL.test(value)),
  },
  'reader-text-before-call': {
    problem:
      "has a text before a call: LLaMA-Factory's templates `gemma`, `gemma2`, `gemma3`, `lfm2`, `llama2`, `ministral`, `mistral`, `paligemma` and `pixtral` refuse it, and its preprocessing ends there",
    broken: turns((value, hasCalls) => hasCalls && value.includes(CALL_TAG)),
  },
  'reader-thought-before-call': {
    problem:
      "has reasoning before a call: LLaMA-Factory's templates `gemma`, `gemma2`, `gemma3`, `gemma4`, `gpt_oss`, `kimi_vl`, `llama2`, `ministral`, `mistral`, `paligemma`, `pixtral` and `seed_oss` refuse it, and its preprocessing ends there",
    broken: turns(isThoughtAndCall),
  },
  'reader-thought-tags': {
    problem:
      "has reasoning in <think> tags: LLaMA-Factory's templates `gemma4`, `gpt_oss`, `kimi_vl` and `seed_oss` have other tags, and train these as a part of the text",
    broken: turns((value, hasCalls) => value.startsWith(THOUGHT_TAG) && !isThoughtAndCall(value, hasCalls)),
  },
  'reader-media-tags': {
    problem:
      "has <image>, <video> or <audio> in its text: LLaMA-Factory's templates of models that see or hear, such as `gemma3` and `qwen3_5`, look for a file for each, find none, and its preprocessing ends there",
    broken: turns((value) => MEDIA_TAG.test(value)),
  },
  'reader-tool-parameters': {
    problem:
      "has a tool that LLaMA-Factory's tool format `default` refuses, and its preprocessing ends there: no `properties` in its `parameters`, or a property, `enum`, `items` or `required` that is not of the expected type",
    broken: (record) => (hasTool(record, isRefused) ? [-1] : []),
  },
};

export const llamaFactoryRules: readonly ConsumerRule[] = Object.entries(rules).map(([name, rule]) => ({
  ...{ name, ...rule },
  effect: 'alters',
  formats: ['sharegpt'],
}));
