/**
 * A stage of a plug-in, whose texts are copied: its buffers may be reused for the next element. A record that it changes
 * must stay one JSON object on one line, or `verify` would refuse the dataset.
 */
import { copyOf } from '../../transforms/json/keep.ts';
import type {
  Message,
  StreamElement,
  ToolDefinition,
  WrittenRecord,
} from '../../transforms/model/element.ts';
import type { Handlers, PlacedStage } from '../../transforms/stage.ts';
import { checkHandlers, isElement, KINDS } from '../../transforms/stage-input.ts';
import { failUsage } from '../errors.ts';
import { isFinding, isRecord, NOT_A_FINDING } from './plug-in-format.ts';

const FATE = /^(?:blank|dropped:[a-z0-9]+(?:-[a-z0-9]+)*)$/;

export function ownedStage(stage: PlacedStage): PlacedStage {
  return {
    ...stage,
    create(options) {
      const handlers = stage.create(options) as Record<string, Handler | undefined>;
      checkOwnHandlers(handlers, stage.name);
      const copying: Record<string, Handler> = {};
      for (const kind of KINDS) {
        if (handlers[kind] !== undefined)
          copying[kind] = (element) =>
            eachOwned(listOf(handlers[kind]?.(element) ?? [], kind, stage.name), element, stage.name);
      }
      return copying as Handlers;
    },
  };
}

function checkOwnHandlers(handlers: unknown, stage: string): void {
  try {
    checkHandlers(handlers, 'create');
  } catch (error) {
    failUsage(`the stage '${stage}' of a plug-in: ${(error as Error).message}`);
  }
}

/** @throws TurnmillError `usage` for anything but a list or a generator: an async function returns a Promise */
function listOf(output: unknown, kind: string, stage: string): Iterable<StreamElement> {
  if (typeof output === 'object' && output !== null && Symbol.iterator in output)
    return output as Iterable<StreamElement>;
  const what = output instanceof Promise ? 'a Promise' : `a value of the type ${typeof output}`;
  return failUsage(
    `the stage '${stage}' of a plug-in returned ${what} for an element of the kind '${kind}': it must return a list of elements, and must not be async`,
  );
}

type Handler = (element: StreamElement) => Iterable<StreamElement>;

function* eachOwned(
  output: Iterable<StreamElement>,
  input: StreamElement,
  stage: string,
): Generator<StreamElement> {
  for (const element of output) {
    if (element !== input) checkOwn(element, stage);
    yield element === input ? element : owned(element, input, stage);
  }
}

/** @throws TurnmillError `usage` for what would make a ledger or a report that `verify` refuses */
function checkOwn(element: StreamElement, stage: string): void {
  const fail = (what: string): never => failUsage(`the stage '${stage}' of a plug-in returned ${what}`);
  if (!isElement(element)) fail('a list with something else than elements');
  if (element.kind === 'fate' && !FATE.test(element.fate))
    fail('a fate that is not dropped:NAME, with a NAME of lower-case letters, digits and hyphens');
  if (element.kind === 'finding' && !isFinding(element)) fail(NOT_A_FINDING);
}

function owned(element: StreamElement, input: StreamElement, stage: string): StreamElement {
  const known = new Set<unknown>(partsOf(input));
  const own = <T extends Message | ToolDefinition>(part: T): T => {
    if (known.has(part)) return part;
    if (!(part.bytes instanceof Uint8Array && isRecord(part.bytes)))
      failUsage(
        `the stage '${stage}' of a plug-in returned a message or a tool whose bytes are not one JSON object on one line`,
      );
    return { ...part, bytes: copyOf(part.bytes) };
  };
  switch (element.kind) {
    case 'entry': {
      const { messages, tools, reply } = element;
      return { ...element, messages: messages.map(own), tools: tools.map(own), reply: reply && own(reply) };
    }
    case 'conversation':
      return { ...element, messages: element.messages.map(own), tools: element.tools.map(own) };
    case 'record':
      return ownedRecord(element, input, stage);
    default:
      return element;
  }
}

function partsOf(element: StreamElement): readonly unknown[] {
  if (element.kind === 'entry') return [...element.messages, ...element.tools, element.reply];
  return element.kind === 'conversation' ? [...element.messages, ...element.tools] : [];
}

function ownedRecord(record: WrittenRecord, input: StreamElement, stage: string): WrittenRecord {
  const before = input.kind === 'record' ? input.bytes : undefined;
  if (record.bytes === before) return record;
  const isLine = before === undefined || isRecord(before);
  if (isLine && !isRecord(record.bytes))
    throw new Error(`the stage '${stage}' returned a record that is not one JSON object on one line`);
  return { ...record, bytes: copyOf(record.bytes) };
}
