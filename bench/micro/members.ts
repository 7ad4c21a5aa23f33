/**
 * Walking the members of messages and comparing their keys, beside JSON.parse of each.
 */
import { isKey, walkMembers } from '../../transforms/json/members.ts';
import { createPlainScanner } from '../../transforms/json/scanner.ts';
import type { MicroCase } from './micro-case.ts';
import { messagesOf, sample } from './sample.ts';

/** All messages of one long line. */
export const cases = (): readonly MicroCase[] => {
  const longest = sample().lines.toSorted((a, b) => b.length - a.length)[0] as Buffer;
  const messages = messagesOf(longest).map((message) => Buffer.from(JSON.stringify(message)));
  const shared = { bytes: messages.reduce((sum, { length }) => sum + length, 0), items: messages.length };
  const scanner = createPlainScanner();
  const roles = (bytes: Uint8Array): number => {
    let found = 0;
    walkMembers(bytes, 0, scanner, (start, end, value) => {
      if (isKey(bytes, start, end, 'role')) found++;
      return scanner.value(bytes, value, 1);
    });
    return found;
  };
  return [
    {
      ...shared,
      name: 'walkMembers and isKey',
      run: () => messages.reduce((sum, message) => sum + roles(message), 0),
    },
    {
      ...shared,
      name: 'JSON.parse and a look',
      run: () =>
        messages.reduce(
          (sum, message) => sum + ('role' in (JSON.parse(message.toString('utf8')) as object) ? 1 : 0),
          0,
        ),
    },
  ];
};
