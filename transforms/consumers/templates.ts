/**
 * Parts of a record that chat templates refuse or leave out. The names are those of the templates in the package `trl`,
 * without their versions; `npm run test:loaders` renders such records with all of them (judge_all_templates.py). Beside
 * them are the templates of axolotl, which reads fewer members than a template does, and those of models that ask for ids.
 */
import { CLOSE_ARRAY, LETTER_N, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { elementsOf, valueBytes } from '../json/members.ts';
import { encode } from '../json/utf8.ts';
import { assistantCalls, knownToolCalls } from '../model/assistant-calls.ts';
import type { Message } from '../model/element.ts';
import { objectBytes, reasoningOf, stringValue, textOfValue } from '../model/message.ts';
import type { ConsumedRecord, ConsumerRule } from './consumer-rule.ts';

/** A part of a record: the names of the templates that do not render it. */
interface TemplatePart {
  readonly refuse?: string;
  /** Templates that leave it out, or write something else. */
  readonly change?: string;
  isIn(record: ConsumedRecord): boolean;
}

const FORMATS = ['chat', 'trl', 'axolotl'];
const QWEN = 'qwen3_5 qwen3_6 qwen3_8';

const some =
  (test: (message: Message, at: number, all: readonly Message[]) => boolean) =>
  ({ written }: ConsumedRecord): boolean =>
    written.some(test);

const hasCalls = (message: Message): boolean => assistantCalls(message).length > 0;
const hasEmptyCalls = (message: Message): boolean =>
  message.role === 'assistant' && knownToolCalls(message)?.length === 0;
const firstOfContent = ({ bytes }: Message): number | undefined => valueBytes(bytes, 'content')?.[0];
const hasNoContent = (message: Message): boolean => [undefined, LETTER_N].includes(firstOfContent(message));
const hasText = ({ bytes }: Message): boolean => Boolean(stringValue(bytes, 'content'));
const textHas = (word: string) => (message: Message) =>
  message.role === 'assistant' && stringValue(message.bytes, 'content')?.includes(word) === true;

/** Whether arguments are objects, as axolotl makes them before it renders a template, or texts. */
function hasArguments(
  of: 'objects' | 'texts',
  test: (text: string | undefined) => boolean = () => true,
): (record: ConsumedRecord) => boolean {
  return ({ written, format }) =>
    written.some((message) =>
      assistantCalls(message).some(({ arguments: json }) => {
        const isObject = json?.[0] === OPEN_OBJECT || (format === 'axolotl' && json !== undefined);
        return of === 'objects' ? isObject : !isObject && json?.[0] === QUOTE && test(textOfValue(json));
      }),
    );
}

/** Whether a template that expects a question at every other place does not find it. */
function failsToAlternate(roles: (message: Message) => boolean): (record: ConsumedRecord) => boolean {
  return ({ written }) =>
    written
      .filter(({ role }, at) => at > 0 || role !== 'system')
      .filter(roles)
      .some(({ role }, at) => (role === 'user') !== (at % 2 === 0));
}

/** Whether a record has such a tool definition. They may be a list, or its JSON text. */
export function hasTool({ bytes }: ConsumedRecord, test: (tool: Uint8Array) => boolean): boolean {
  const value = valueBytes(bytes, 'tools');
  const list = value?.[0] === QUOTE ? encode(textOfValue(value) ?? '') : value;
  return list?.[0] === OPEN_ARRAY && list[1] !== CLOSE_ARRAY && elementsOf(list).some(test);
}

/** A member of a definition, which may be wrapped. */
const definedAs = (tool: Uint8Array, member: string): Uint8Array | undefined =>
  valueBytes(objectBytes(tool, 'function') ?? tool, member);

const lacks = (member: string) => (tool: Uint8Array) => definedAs(tool, member) === undefined;

const hasNullDescription = (tool: Uint8Array): boolean => definedAs(tool, 'description')?.[0] === LETTER_N;

const idOf = (message: Message): readonly string[] =>
  message.role === 'tool'
    ? [stringValue(message.bytes, 'tool_call_id') ?? '']
    : assistantCalls(message).map(({ id = '' }) => id);

/** Whether a result has neither the name of its function nor the id of one of the calls before it. */
function hasNamelessResult({ written }: ConsumedRecord): boolean {
  let ids = new Set<string | undefined>();
  for (const message of written) {
    const { bytes, role } = message;
    if (role !== 'tool') ids = new Set(assistantCalls(message).map(({ id }) => id));
    else if (ids.size > 0 && stringValue(bytes, 'name') === undefined) {
      if (!ids.has(stringValue(bytes, 'tool_call_id'))) return true;
    }
  }
  return false;
}

/** Whether axolotl reads a record that passes a test of its messages. */
const inAxolotl =
  (test: (message: Message) => boolean) =>
  ({ written, format }: ConsumedRecord): boolean =>
    format === 'axolotl' && written.some(test);

/** By a noun for each. */
export const templateParts: Readonly<Record<string, TemplatePart>> = {
  'a system message': {
    refuse: 'gemma',
    isIn: ({ written }) => written[0]?.role === 'system',
  },
  'a system message that is not the first message': {
    refuse: QWEN,
    change: 'gptoss qwen3_vl',
    isIn: some(({ role }, at) => role === 'system' && at > 0),
  },
  'no question': {
    refuse: QWEN,
    isIn: ({ written }) => !written.some(({ role }) => role === 'user'),
  },
  'turns that do not alternate, results included': {
    refuse: 'cohere gemma gemma3',
    isIn: failsToAlternate(() => true),
  },
  'questions and answers that do not alternate': {
    refuse: 'cohere2',
    isIn: failsToAlternate(({ role }) => role === 'user' || role === 'assistant'),
  },
  'a call': {
    change: 'cohere cohere2 deepseek_r1_distill gemma gemma3 lfm2 llama3 phi3 phi3_5 qwen2_5_vl',
    isIn: some(hasCalls),
  },
  'a result': {
    change: 'cohere2 phi3 phi3_5',
    isIn: some(({ role }) => role === 'tool'),
  },
  'arguments as an object': {
    refuse: 'deepseekv3',
    isIn: hasArguments('objects'),
  },
  'arguments as a text': {
    refuse: `diffusion_gemma gemma4_v5 glm4moe lfm2_2_5 muse_glimmer nemotron_3 ${QWEN}`,
    change: 'gemma4 gptoss llama3_1 llama3_2 qwen2_5',
    isIn: hasArguments('texts'),
  },
  'arguments as a text with members': {
    refuse: 'lfm2_v2',
    isIn: hasArguments('texts', (text) => text !== '{}'),
  },
  'several calls at once': {
    refuse: 'llama3_1 llama3_2',
    change: 'gptoss',
    isIn: some((message) => assistantCalls(message).length > 1),
  },
  'an empty list of calls': {
    refuse: 'gptoss llama3_1 llama3_2',
    change: 'deepseekv3',
    isIn: some(hasEmptyCalls),
  },
  'a text beside a call': {
    change: 'gptoss llama3_1 llama3_2 muse_glimmer',
    isIn: some((message) => hasCalls(message) && hasText(message)),
  },
  'reasoning and a text beside a call': {
    refuse: 'gptoss',
    isIn: some((message) => hasCalls(message) && hasText(message) && reasoningOf(message) !== ''),
  },
  'a call without a content': {
    refuse: 'deepseek_r1_distill deepseekv3 lfm2 phi3 phi3_5',
    isIn: some((message) => hasCalls(message) && hasNoContent(message)),
  },
  'an answer without a content': {
    refuse: 'cohere deepseek_r1_distill deepseekv3 gptoss lfm2 phi3 phi3_5 qwen2_5',
    isIn: some((message) => message.role === 'assistant' && !hasCalls(message) && hasNoContent(message)),
  },
  'a result without a content': {
    refuse: 'deepseek_r1_distill deepseekv3 gptoss lfm2 llama3_1 llama3_2',
    change: 'gemma4',
    isIn: some((message) => message.role === 'tool' && hasNoContent(message)),
  },
  'a result of no call': {
    refuse: 'gptoss',
    change: 'diffusion_gemma gemma4',
    isIn: some(({ role }, at, all) => role === 'tool' && !all.slice(0, at).some(hasCalls)),
  },
  'a result without a name or the id of a call before it': {
    refuse: 'gemma4',
    isIn: hasNamelessResult,
  },
  'a content of parts': {
    refuse: 'cohere deepseek_r1_distill deepseekv3 gptoss phi3 phi3_5 qwen2_5',
    change: 'qwen3 qwen3_instruct_2507',
    isIn: some((message) => firstOfContent(message) === OPEN_ARRAY),
  },
  '</think> in an answer': {
    change: 'deepseek_r1_distill deepseekv3 qwen3',
    isIn: some(textHas('</think>')),
  },
  'a tool without a description': {
    refuse: 'gptoss muse_glimmer',
    isIn: (record) => hasTool(record, lacks('description')),
  },
  'a tool whose description is null': {
    refuse: 'gptoss',
    change: 'diffusion_gemma gemma4 nemotron_3',
    isIn: (record) => hasTool(record, hasNullDescription),
  },
  'a tool without parameters': {
    refuse: 'muse_glimmer',
    isIn: (record) => hasTool(record, lacks('parameters')),
  },
  'a tool that is not {type, function}': {
    refuse: 'deepseekv3 diffusion_gemma gemma4 gptoss',
    isIn: (record) => hasTool(record, (tool) => objectBytes(tool, 'function') === undefined),
  },
  'an id of a call that is not nine letters and digits': {
    refuse: 'mistral',
    isIn: some((message) => idOf(message).some((id) => !/^[a-zA-Z\d]{9}$/.test(id))),
  },
  'an id of a call that is not functions.NAME:0, and is written instead of its name': {
    change: 'kimi_k2',
    isIn: some((message) =>
      assistantCalls(message).some(({ id = '', name }) => /^functions\.(.*):\d+$/s.exec(id)?.[1] !== name),
    ),
  },
  'a call in axolotl, with its own templates': {
    change:
      'alpaca chatml command_a deepseek_v2 exaone falcon_h1 llama3 llava metharme phi_3 phi_35 phi_4 qwen2_vl',
    isIn: inAxolotl(hasCalls),
  },
  'a call in axolotl, unless message_property_mappings names tool_calls': {
    change: 'diffusion_gemma exaone4 gemma4_v5 glm4moe',
    isIn: inAxolotl(hasCalls),
  },
  'a result in axolotl': {
    refuse: 'gptoss',
    isIn: inAxolotl(({ role }) => role === 'tool'),
  },
};

/** Lists the parts of a record that templates do not render: `a system message (gemma); ...`. */
function partsIn(record: ConsumedRecord, effect: 'refuse' | 'change'): string {
  return Object.entries(templateParts)
    .filter(([, part]) => part[effect] !== undefined && part.isIn(record))
    .map(([noun, part]) => `${noun} (${part[effect]?.replaceAll(' ', ', ')})`)
    .join('; ');
}

function rule(
  name: string,
  effect: ConsumerRule['effect'],
  problem: string,
  of: 'refuse' | 'change',
): ConsumerRule {
  return {
    name,
    effect,
    formats: FORMATS,
    problem,
    broken: (record) => (partsIn(record, of) === '' ? [] : [-1]),
    detail: (record) => partsIn(record, of),
  };
}

export const templateRules: readonly ConsumerRule[] = [
  rule('reader-template-refuses', 'alters', 'has parts that some chat templates refuse', 'refuse'),
  rule('reader-template-drops', 'drops', 'has parts that some chat templates leave out or change', 'change'),
];
