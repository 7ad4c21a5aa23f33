/** Reads logged calls, and builds them: a question, its answer and a tool. */
import calls from '../../../transforms/dialects/calls.ts';
import type { ReadElement, ReadingOptions } from '../../../transforms/dialects/dialect.ts';
import type { Entry } from '../../../transforms/model/element.ts';
import { detectDialect } from '../../../transforms/stages/choose-dialect.ts';
import { asBuffer, text } from '../bytes.ts';
import { readLog } from '../log-lines.ts';

export const dialectOf = (object: object) => detectDialect(asBuffer(JSON.stringify(object)))?.name;
export const read = (objects: readonly object[], options: ReadingOptions = {}): readonly ReadElement[] =>
  readLog(
    calls.create(undefined, options),
    objects.map((one) => JSON.stringify(one)),
  );
export const entriesOf = (elements: readonly ReadElement[]) =>
  elements.filter((element): element is Entry => element.kind === 'entry');
export const messagesOf = ({ messages, reply }: Entry) =>
  (reply === undefined ? messages : [...messages, reply]).map(({ bytes }) => JSON.parse(text(bytes)));
export const conversations = (...objects: object[]) => entriesOf(read(objects)).map(messagesOf);
export const metaOf = (entry: Entry | undefined, name: 'usage' | 'model' | 'finish') => {
  const json = entry?.meta?.get(name);
  return json === undefined ? undefined : JSON.parse(text(json));
};

export const question = { role: 'user', content: 'a' };
export const reply = { role: 'assistant', content: 'b' };
export const tool = {
  type: 'function',
  function: { name: 'f', parameters: { type: 'object', properties: {} } },
};
export const completion = {
  ...{ id: 'c', object: 'chat.completion', created: 1_767_225_600, model: 'm', usage: { total_tokens: 3 } },
  choices: [{ index: 0, message: reply, finish_reason: 'stop' }],
};
