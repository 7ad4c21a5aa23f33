/** Words around the output of a command, which OpenHands keeps in the metadata of an observation. */
import { describe, expect, it } from 'vitest';
import openhands from '../../../../transforms/dialects/openhands.ts';
import type { Entry } from '../../../../transforms/model/element.ts';
import { text } from '../../bytes.ts';
import { readLog } from '../../log-lines.ts';

/** The contents of the results in the conversation. */
function resultsOf(...objects: readonly object[]): readonly unknown[] {
  const elements = readLog(
    openhands.create(),
    objects.map((object) => JSON.stringify(object)),
  );
  const entry = elements.find((element): element is Entry => element.kind === 'entry');
  const messages = (entry?.messages ?? []).map(({ bytes }) => JSON.parse(text(bytes)));
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
}

const EARLIER = '[Below is the output of the previous command.]\n';
const RUNS = '\n[The command has no new output after 10 seconds.]';
const around = { exit_code: -1, working_dir: '/w', prefix: EARLIER, suffix: RUNS };

/** The result of a command in the first version. */
const ofFirst = (content: string, metadata: unknown) =>
  resultsOf(
    { id: 0, source: 'user', action: 'message', args: { content: 'a' } },
    { id: 1, source: 'agent', action: 'run', args: { command: 'make' } },
    {
      ...{ id: 2, cause: 1, source: 'agent', observation: 'run', content },
      extras: { command: 'make', metadata },
    },
    { id: 3, source: 'agent', action: 'message', args: { content: 'b' } },
  );

/** The result of a command in the SDK. */
const ofSdk = (observation: object) =>
  resultsOf(
    {
      kind: 'MessageEvent',
      source: 'user',
      llm_message: { role: 'user', content: [{ type: 'text', text: 'a' }] },
    },
    {
      ...{ kind: 'ActionEvent', source: 'agent', thought: [], tool_name: 'terminal', tool_call_id: 'c' },
      tool_call: { id: 'c', name: 'terminal', arguments: '{"command":"make"}', origin: 'completion' },
      llm_response_id: 'r1',
    },
    { kind: 'ObservationEvent', source: 'environment', tool_call_id: 'c', observation },
    {
      ...{ kind: 'MessageEvent', source: 'agent', llm_response_id: 'r2' },
      llm_message: { role: 'assistant', content: [{ type: 'text', text: 'b' }] },
    },
  );

const parts = (...texts: readonly string[]) => texts.map((one) => ({ type: 'text', text: one }));

describe('the output of a command of OpenHands', () => {
  it.each(['cc "main.c"\n', ''])('has the words around it that its metadata has (%j)', (output) => {
    const whole = `${EARLIER}${output}${RUNS}`;
    expect(ofFirst(output, around)).toEqual([whole]);
    expect(ofSdk({ content: parts(output), metadata: around })).toEqual([parts(whole)]);
    expect(ofSdk({ output, metadata: around })).toEqual([whole]);
  });

  it('has them once', () => {
    const whole = `${EARLIER}cc main.c${RUNS}`;
    expect(ofFirst(whole, around)).toEqual([whole]);
    expect(ofSdk({ content: parts(whole), metadata: around })).toEqual([parts(whole)]);
  });

  it.each([undefined, null, 'x', {}, { prefix: '', suffix: '' }, { prefix: 1, suffix: null }])(
    'stays as it is if its metadata has none (%j)',
    (metadata) => {
      expect(ofFirst('cc', metadata)).toEqual(['cc']);
      expect(ofSdk({ content: parts('cc'), metadata })).toEqual([parts('cc')]);
    },
  );

  it('is one text: several stay as they are', () => {
    expect(ofSdk({ content: parts('cc', 'ld'), metadata: around })).toEqual([parts('cc', 'ld')]);
  });
});
