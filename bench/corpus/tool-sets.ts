/**
 * Tool definitions: eight sets, each serialised once per style. A session uses one of them, and
 * repeats its bytes on every line, as agents do.
 */
import { encodeValue, type JsonStyle, type JsonValue } from './json-style.ts';
import { type Random, seededRandom } from './random.ts';
import type { CorpusShape } from './shapes.ts';
import { makeAtom } from './text-pool.ts';

const setCount = 8;
const verbs = ['search', 'read', 'write', 'list', 'update', 'create', 'delete', 'plan', 'send'];
const nouns = ['file', 'order', 'flight', 'note', 'page', 'issue', 'table', 'chart', 'invoice'];
const jsonTypes = ['string', 'integer', 'boolean', 'number'];

const proseOf = (random: Random, textBytes: number): string => {
  let text = '';
  while (text.length < textBytes) text += makeAtom('prose', random);
  return text;
};

const parameterList = (random: Random, count: number): Readonly<Record<string, JsonValue>> =>
  Object.fromEntries(
    Array.from({ length: count }, (_unused, index) => [
      `${random.pick(nouns)}_${index}`,
      {
        type: random.pick(jsonTypes),
        description: proseOf(random, random.integer(20, 110)),
        ...(random.chance(0.2) ? { enum: [random.pick(nouns), random.pick(verbs)] } : {}),
        ...(random.chance(0.2) ? { default: null } : {}),
      },
    ]),
  );

/** The name that a set's tool has; a name is unique in its set. */
export const toolName = (setIndex: number, toolIndex: number): string =>
  `${verbs[toolIndex % verbs.length]}__${nouns[(setIndex + toolIndex) % nouns.length]}_${toolIndex}`;

const toolDefinition = (
  random: Random,
  shape: CorpusShape,
  setIndex: number,
  toolIndex: number,
): JsonValue => {
  const count = shape.toolsPerSet === 1 ? 1 : random.integer(2, 6);
  const properties = parameterList(random, count);
  const [low, high] = shape.toolDescriptionBytes;
  return {
    type: 'function',
    function: {
      name: toolName(setIndex, toolIndex),
      description: proseOf(random, random.logUniform(low, high)),
      parameters: {
        type: 'object',
        properties,
        required: Object.keys(properties).slice(0, 1),
        additionalProperties: false,
      },
    },
  };
};

/** The eight sets in one style, each as the bytes of a JSON array. */
export const buildToolSets = (style: JsonStyle, shape: CorpusShape, seed: number): readonly Buffer[] =>
  Array.from({ length: setCount }, (_unused, setIndex) => {
    const random = seededRandom([seed, 'tools', setIndex]);
    const tools = Array.from({ length: shape.toolsPerSet }, (_none, toolIndex) =>
      toolDefinition(random, shape, setIndex, toolIndex),
    );
    return Buffer.from(encodeValue(style, tools));
  });
