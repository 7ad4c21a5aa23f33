/** Prompts that were typed while the model was working, as the events of the queue and as attachments. */
import { expect, it } from 'vitest';
import claudeCode from '../../../../transforms/dialects/claude-code.ts';
import type { Entry, Fate } from '../../../../transforms/model/element.ts';
import { text } from '../../bytes.ts';
import { readLog } from '../../log-lines.ts';

const line = (type: string, uuid: string, more: object) => ({ type, uuid, sessionId: 's', ...more });
const user = (uuid: string, content: unknown) => line('user', uuid, { message: { role: 'user', content } });
const answer = (uuid: string, ...content: readonly object[]) =>
  line('assistant', uuid, { message: { id: uuid, role: 'assistant', content } });
const calls = (uuid: string) => answer(uuid, { type: 'tool_use', id: uuid, name: 'f', input: {} });
const gives = (uuid: string, id: string) =>
  user(uuid, [{ type: 'tool_result', tool_use_id: id, content: uuid }]);
const says = (uuid: string) => answer(uuid, { type: 'text', text: uuid });
const queue = (operation: string, content?: unknown) => ({
  ...{ type: 'queue-operation', operation, sessionId: 's' },
  ...(content !== undefined && { content }),
});
const attachment = (uuid: string, prompt: unknown) =>
  line('attachment', uuid, { attachment: { type: 'queued_command', commandMode: 'prompt', prompt } });

/** The contents of the conversation, and the fates of lines outside it. */
function read(...lines: readonly object[]): readonly [readonly unknown[], readonly string[]] {
  const all = readLog(
    claudeCode.create(),
    lines.map((one) => JSON.stringify(one)),
  );
  const [entry] = all.filter(({ kind }) => kind === 'entry') as readonly Entry[];
  const fates = all.filter(({ kind }) => kind === 'fate') as readonly Fate[];
  const messages = [...(entry?.messages ?? []), ...(entry?.reply === undefined ? [] : [entry.reply])];
  return [
    messages.map(({ bytes }) => JSON.parse(text(bytes)).content ?? 'CALL'),
    fates.map(({ fate }) => fate),
  ];
}

const EVENT = 'dropped:client-event';

it.each([
  ['with its text', queue('remove', 'wait')],
  ['without its text', queue('remove')],
])('reads a prompt that only the queue has when the model receives it, %s', (_name, remove) => {
  const lines = [
    user('u1', 'go'),
    calls('a1'),
    queue('enqueue', 'wait'),
    gives('r1', 'a1'),
    remove,
    says('a2'),
  ];
  expect(read(...lines)).toEqual([['go', 'CALL', 'r1', 'wait', 'a2'], [EVENT]]);
});

it('reads the images of a prompt from the first event of the queue', () => {
  const source = { type: 'base64', media_type: 'image/png', data: 'aQ==' };
  const prompt = [
    { type: 'text', text: 'see' },
    { type: 'image', source },
  ];
  const [contents] = read(user('u1', 'go'), says('a1'), queue('enqueue', prompt), queue('remove', 'see'));
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aQ==' } };
  expect(contents).toEqual(['go', 'a1', [{ type: 'text', text: 'see' }, image]]);
});

it('reads no prompt twice that has a line of its own', () => {
  const lines = [queue('enqueue', 'go'), queue('dequeue'), user('u1', 'go'), says('a1')];
  expect(read(...lines)).toEqual([
    ['go', 'a1'],
    [EVENT, EVENT],
  ]);
});

it.each([
  ['after the event', [queue('remove', 'wait'), attachment('x1', 'wait')], [EVENT]],
  ['before the event', [attachment('x1', 'wait'), queue('remove', 'wait')], [EVENT, EVENT]],
])('reads no prompt twice that has an attachment %s', (_name, received, fates) => {
  const begin = [user('u1', 'go'), calls('a1'), queue('enqueue', 'wait'), gives('r1', 'a1')];
  expect(read(...begin, ...received, says('a2'))).toEqual([['go', 'CALL', 'r1', 'wait', 'a2'], fates]);
});

it.each([
  ['both have it', true],
  ['only the attachment has it', false],
])('reads a prompt with an image once, if %s', (_name, isInQueue) => {
  const source = { type: 'base64', media_type: 'image/png', data: 'aQ==' };
  const prompt = [
    { type: 'text', text: 'see' },
    { type: 'image', source },
  ];
  const begin = [user('u1', 'go'), says('a1'), queue('enqueue', isInQueue ? prompt : 'see')];
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aQ==' } };
  const contents = ['go', 'a1', [{ type: 'text', text: 'see' }, image], 'a2'];
  for (const remove of [queue('remove', 'see'), queue('remove')])
    expect(read(...begin, remove, attachment('x1', prompt), says('a2'))[0]).toEqual(contents);
});

it('leaves out prompts that the model did not receive', () => {
  const notification = '<task-notification>done</task-notification>';
  const lines = [
    ...[user('u1', 'go'), queue('enqueue', 'a'), queue('popAll', 'a'), queue('remove')],
    ...[queue('enqueue', notification), queue('remove', notification), says('a1'), queue('enqueue', 'b')],
  ];
  expect(read(...lines)[0]).toEqual(['go', notification, 'a1']);
});

it('counts notifications in the queue', () => {
  const notification = '<task-notification>done</task-notification>';
  const lines = [queue('enqueue', notification), queue('enqueue', 'wait'), queue('dequeue'), queue('remove')];
  expect(read(user('u1', 'go'), ...lines, says('a1'))[0]).toEqual(['go', 'wait', 'a1']);
});

it('gives back one prompt, or all', () => {
  const begin = [user('u1', 'go'), queue('enqueue', 'a'), queue('enqueue', 'b'), queue('enqueue', 'c')];
  const one = [...begin, queue('popAll', 'a'), queue('remove'), says('a1')];
  expect(read(...one)[0]).toEqual(['go', 'b', 'a1']);
  expect(read(...begin, queue('popAll'), queue('remove'), says('a1'))[0]).toEqual(['go', 'a1']);
});

it('begins no conversation with a prompt of the queue', () => {
  const lines = [queue('enqueue', 'a'), queue('remove', 'a'), queue('enqueue', 'b')];
  expect(read(...lines)).toEqual([[], [EVENT, EVENT, EVENT]]);
});

it('leaves out what the queue gives up, once the log has attachments', () => {
  const lines = [
    user('u1', 'go'),
    attachment('x1', 'a'),
    queue('enqueue', 'b'),
    queue('remove', 'b'),
    says('a1'),
  ];
  expect(read(...lines)[0]).toEqual(['go', 'a', 'a1']);
});
