/**
 * Writing a record: as slices of what was read, and through objects.
 */
import chat, { chatRecord } from '../../transforms/formats/chat.ts';
import { createKeeper } from '../../transforms/json/keep.ts';
import type { MicroCase } from './micro-case.ts';
import { messagesOf, sample } from './sample.ts';

/** The messages of one long line. */
export const cases = (): readonly MicroCase[] => {
  const longest = sample().lines.toSorted((a, b) => b.length - a.length)[0] as Buffer;
  const objects = messagesOf(longest);
  const messages = objects.map((message) => ({ bytes: Buffer.from(JSON.stringify(message)), role: 'user' }));
  const bytes = chatRecord(messages, []).length;
  return [
    {
      name: `format ${chat.name}: slices put together`,
      bytes,
      items: 1,
      run: () => chatRecord(messages, []).length,
    },
    {
      name: 'copies that outlive their line (keep)',
      bytes,
      items: messages.length,
      run: () => {
        const keep = createKeeper();
        return messages.reduce(
          (sum, message) => sum + keep(message.bytes, 0, message.bytes.length).length,
          0,
        );
      },
    },
    {
      name: 'JSON.stringify to bytes',
      bytes,
      items: 1,
      run: () => Buffer.from(JSON.stringify({ messages: objects, tools: [] })).length,
    },
  ];
};
