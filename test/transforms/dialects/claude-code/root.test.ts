/** The root of a conversation: the uuid of its first line with a message. */
import { expect, it } from 'vitest';
import claudeCode from '../../../../transforms/dialects/claude-code.ts';
import type { Entry } from '../../../../transforms/model/element.ts';
import { asBuffer } from '../../bytes.ts';
import { lineOf } from '../../log-lines.ts';

interface Line {
  readonly uuid?: string;
  readonly [member: string]: unknown;
}

const message = (type: 'user' | 'assistant', uuid: string, parentUuid: string | null, more: object = {}) => ({
  ...{ type, uuid, parentUuid, sessionId: 's' },
  message: { id: `m-${uuid}`, role: type, content: [{ type: 'text', text: uuid }] },
  ...more,
});
const user = (uuid: string, parent: string | null, more: object = {}): Line =>
  message('user', uuid, parent, more);
const answer = (uuid: string, parent: string, more: object = {}): Line =>
  message('assistant', uuid, parent, more);
const turn = (n: number, parent: string | null, more: object = {}): Line[] => [
  user(`u${n}`, parent, more),
  answer(`a${n}`, `u${n}`, more),
];
const compaction = (more: object = {}): Line => ({
  ...{ type: 'system', subtype: 'compact_boundary', uuid: 'b', parentUuid: null, sessionId: 's' },
  ...more,
});

/** The root of each conversation, by its session id. */
function rootsOf(lines: readonly Line[]): Readonly<Record<string, string | undefined>> {
  const reader = claudeCode.create();
  const elements = lines.flatMap((one, i) => [
    ...reader.read(lineOf(JSON.stringify(one), asBuffer, i + 1, i * 1000)),
  ]);
  const entries = [...elements, ...(reader.end?.() ?? [])].filter(({ kind }) => kind === 'entry');
  return Object.fromEntries((entries as readonly Entry[]).map(({ sessionId, root }) => [sessionId, root]));
}

it('is the first line with a message, not one that is left out', () => {
  const command = user('c', null, { message: { role: 'user', content: '<command-name>/x</command-name>' } });
  const snapshot = { type: 'file-history-snapshot', uuid: 'f', snapshot: {} };
  expect(rootsOf([snapshot, command, ...turn(1, 'c'), ...turn(2, 'a1')])).toEqual({ s: 'u1' });
});

it('is the first line after a compaction in the conversation that follows', () => {
  const summary = user('sum', 'b', { isCompactSummary: true });
  expect(rootsOf([...turn(1, null), compaction(), summary, ...turn(2, 'sum')])).toEqual({
    s: 'u1',
    's#2': 'sum',
  });
});

it('is the first own line if kept messages come before it', () => {
  const preservedMessages = { anchorUuid: 'b', uuids: ['u2', 'a2'] };
  const boundary = compaction({ compactMetadata: { preservedMessages } });
  const summary = user('sum', 'b', { isCompactSummary: true });
  const lines = [...turn(1, null), ...turn(2, 'a1'), boundary, summary, ...turn(3, 'sum')];
  expect(rootsOf(lines)).toEqual({ s: 'u1', 's#2': 'sum' });
});

it('is the own first line of a sub-agent', () => {
  const side = { isSidechain: true, agentId: 'x' };
  expect(rootsOf([...turn(1, null), ...turn(5, null, side), ...turn(2, 'a1')])).toEqual({
    s: 'u1',
    's/x': 'u5',
  });
});

it('is the same for branches that share their first message', () => {
  const lines = [...turn(1, null), ...turn(2, 'a1'), ...turn(3, 'a1')];
  expect(rootsOf(lines)).toEqual({ s: 'u1', 's#2': 'u1' });
});

it('is another one for a branch from the beginning', () => {
  const lines = [...turn(1, null), ...turn(2, 'a1'), ...turn(3, null)];
  expect(rootsOf(lines)).toEqual({ s: 'u1', 's#2': 'u3' });
});

it('is not set if no line has a uuid, or only one that is too long', () => {
  const bare = turn(1, null).map(({ uuid: _, ...line }) => line);
  expect(rootsOf(bare)).toEqual({ s: undefined });
  expect(rootsOf([user('u'.repeat(128), null)])).toEqual({ s: 'u'.repeat(128) });
  expect(rootsOf([user('u'.repeat(129), null)])).toEqual({ s: undefined });
});
