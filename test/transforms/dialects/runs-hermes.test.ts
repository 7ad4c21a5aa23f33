/** Logs of Hermes: a head with the tools and the system text, then bare messages. */
import { describe, expect, it } from 'vitest';
import runs from '../../../transforms/dialects/runs.ts';
import type { Entry } from '../../../transforms/model/element.ts';
import { lineOf } from '../log-lines.ts';

function elementsOf(...objects: readonly object[]) {
  const reader = runs.create();
  const read = objects.flatMap((one, i) => [...reader.read(lineOf(JSON.stringify(one), undefined, i + 1))]);
  return [...read, ...(reader.end?.() ?? [])];
}
const head = {
  role: 'session_meta',
  tools: [{ type: 'function', function: { name: 'shell', parameters: {} } }],
};
const talk = [
  { role: 'user', content: 'How many?' },
  { role: 'assistant', content: 'Three.' },
];
const rolesOf = ({ messages, reply }: Entry) => [...messages, reply].map((message) => message?.role);

describe('the head of a log of Hermes', () => {
  it('provides the tools, and is no message', () => {
    const elements = elementsOf(head, ...talk);
    expect(elements[0]).toMatchObject({ fate: 'dropped:document-head' });
    const entry = elements.find(({ kind }) => kind === 'entry') as Entry;
    expect(entry.tools.map(({ name }) => name)).toEqual(['shell']);
    expect(rolesOf(entry)).toEqual(['user', 'assistant']);
  });

  it('provides the system text', () => {
    const elements = elementsOf({ ...head, system_prompt: 'Be brief.' }, ...talk);
    const entry = elements.find(({ kind }) => kind === 'entry') as Entry;
    expect(rolesOf(entry)).toEqual(['system', 'user', 'assistant']);
    expect(entry.tools).toHaveLength(1);
  });

  it.each([head, { ...head, system_prompt: 'Be brief.' }, { role: '_system_prompt', content: 'Be brief.' }])(
    'begins a conversation if another log comes before it',
    (first) => {
      const elements = elementsOf(first, ...talk, first, ...talk);
      const entries = elements.filter(({ kind }) => kind === 'entry') as readonly Entry[];
      const [once] = elementsOf(first, ...talk).filter(({ kind }) => kind === 'entry') as readonly Entry[];
      expect(entries.map(rolesOf)).toEqual([rolesOf(once as Entry), rolesOf(once as Entry)]);
    },
  );

  it.each(['session_meta', 'observation', 'info', 'constructor'])(
    'a message of the role %s is rejected',
    (role) => {
      const elements = elementsOf(...talk, { role, content: 'x' });
      expect(elements).toContainEqual(
        expect.objectContaining({ kind: 'rejection', reason: 'unknown-speaker' }),
      );
      expect(rolesOf(elements.find(({ kind }) => kind === 'entry') as Entry)).toEqual(['user', 'assistant']);
    },
  );
});
