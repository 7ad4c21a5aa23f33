/**
 * Writes the object around the messages: timestamp, session id, request and response. Uses one of four key orders (tools before or after
 * the messages, timestamp first or last), because real loggers differ in this.
 */
import { appendAscii, type ByteTape, encodeValue, type JsonStyle, type JsonValue } from './json-style.ts';
import { type Random, seededRandom } from './random.ts';
import type { CorpusShape } from './shapes.ts';
import { appendFreshText, makeAtom } from './text-pool.ts';
import type { Voice } from './voice.ts';

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

/** Returns a tool name that is unique within its set. */
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

/** Builds the eight tool sets in one style, each as the bytes of a JSON array. */
export const buildToolSets = (style: JsonStyle, shape: CorpusShape, seed: number): readonly Buffer[] =>
  Array.from({ length: setCount }, (_unused, setIndex) => {
    const random = seededRandom([seed, 'tools', setIndex]);
    const tools = Array.from({ length: shape.toolsPerSet }, (_none, toolIndex) =>
      toolDefinition(random, shape, setIndex, toolIndex),
    );
    return Buffer.from(encodeValue(style, tools));
  });

/** The key order of a session's lines. */
export interface EnvelopeLayout {
  readonly toolsFirst: boolean;
  readonly stampLast: boolean;
}

/** The parts of a line that differ between entries. */
export interface EnvelopeParts {
  readonly sessionId: string;
  /** ISO 8601 with milliseconds and `Z`. */
  readonly stamp: string;
  readonly epochSeconds: number;
  readonly finishReason: string;
  appendMessages(): void;
  appendTools(): void;
  appendReply(): void;
}

const stampText = (voice: Voice, stamp: string): string => {
  if (voice.style.name === 'JSON.stringify') return stamp;
  const micros = String(voice.random.integer(0, 999)).padStart(3, '0');
  return `${stamp.slice(0, -1)}${micros}+00:00`;
};

const appendRequest = (
  line: ByteTape,
  { style: { comma, colon, oneAsFloat } }: Voice,
  layout: EnvelopeLayout,
  parts: EnvelopeParts,
): void => {
  const messages = (): void => {
    appendAscii(line, `${comma}"messages"${colon}[`);
    parts.appendMessages();
    appendAscii(line, ']');
  };
  const tools = (): void => {
    appendAscii(line, `${comma}"tools"${colon}`);
    parts.appendTools();
  };
  appendAscii(line, `"request"${colon}{"model"${colon}"agent-large-2"`);
  if (layout.toolsFirst) tools();
  messages();
  if (!layout.toolsFirst) tools();
  appendAscii(
    line,
    `${comma}"temperature"${colon}0.7${comma}"top_p"${colon}${oneAsFloat}${comma}"stream"${colon}false}`,
  );
};

const appendResponse = (
  line: ByteTape,
  { style: { comma, colon }, random }: Voice,
  parts: EnvelopeParts,
): void => {
  const id = `chatcmpl-${random.integer(0, 0xffff_ffff).toString(36)}`;
  appendAscii(
    line,
    `"response"${colon}{"id"${colon}"${id}"${comma}"object"${colon}"chat.completion"${comma}` +
      `"created"${colon}${parts.epochSeconds}${comma}"choices"${colon}[{"index"${colon}0${comma}"message"${colon}`,
  );
  parts.appendReply();
  const prompt = random.integer(1_000, 100_000);
  const completion = random.integer(10, 2_000);
  appendAscii(
    line,
    `${comma}"finish_reason"${colon}"${parts.finishReason}"}]${comma}"usage"${colon}` +
      `{"prompt_tokens"${colon}${prompt}${comma}"completion_tokens"${colon}${completion}}}`,
  );
};

/** Appends a whole line, including its line feed. */
export const appendEnvelope = (
  line: ByteTape,
  voice: Voice,
  layout: EnvelopeLayout,
  parts: EnvelopeParts,
): void => {
  const { comma, colon } = voice.style;
  const identity =
    `"timestamp"${colon}"${stampText(voice, parts.stamp)}"${comma}` +
    `"session_id"${colon}"${parts.sessionId}"`;
  appendAscii(line, layout.stampLast ? '{' : `{${identity}${comma}`);
  appendRequest(line, voice, layout, parts);
  appendAscii(line, comma);
  appendResponse(line, voice, parts);
  appendAscii(line, layout.stampLast ? `${comma}${identity}}\n` : '}\n');
};

const descriptionBytes = 900;

/** Appends a JSON array of tool definitions whose text does not repeat. */
export const appendFreshTools = (line: ByteTape, voice: Voice): void => {
  const { comma, colon } = voice.style;
  for (let index = 0; index < voice.shape.toolsPerSet; index++) {
    const name = toolName(voice.toolSet, index);
    appendAscii(
      line,
      `${index === 0 ? '[' : comma}{"type"${colon}"function"${comma}"function"${colon}` +
        `{"name"${colon}"${name}"${comma}"description"${colon}"`,
    );
    appendFreshText(line, voice.pools.prose, voice.random, descriptionBytes);
    appendAscii(
      line,
      `"${comma}"parameters"${colon}{"type"${colon}"object"${comma}"properties"${colon}{}}}}`,
    );
  }
  appendAscii(line, ']');
};
