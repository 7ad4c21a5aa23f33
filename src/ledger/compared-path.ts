/**
 * The path of a conversation whose records are compared (docs/copies.md): 16 bytes for each message, a hash of it and all
 * messages before it. The last bit of each tells whether the message is an answer.
 */
import type { Message } from '../../transforms/model/element.ts';
import { HASH_BYTES } from '../../transforms/model/hashed-set.ts';
import { pathBytes } from '../../transforms/model/path-hashes.ts';

export const PATH_HASH_BYTES: number = HASH_BYTES;
const ANSWER = 1;

export function comparedPath(messages: readonly Message[]): Uint8Array {
  return markAnswers(pathBytes(messages), (index) => messages[index]?.role === 'assistant');
}

/** @param path the hashes of a conversation's messages, which are changed */
export function markAnswers(path: Uint8Array, isAnswer: (index: number) => boolean): Uint8Array {
  for (let i = 0, last = PATH_HASH_BYTES - 1; last < path.length; i++, last += PATH_HASH_BYTES) {
    const hash = path[last] as number;
    path[last] = isAnswer(i) ? hash | ANSWER : hash & ~ANSWER;
  }
  return path;
}

/** Counts the answers among the first messages of a path, or among all. */
export function answersIn(path: Uint8Array, messages: number = path.length / PATH_HASH_BYTES): number {
  let answers = 0;
  for (let end = PATH_HASH_BYTES; end <= messages * PATH_HASH_BYTES; end += PATH_HASH_BYTES)
    answers += (path[end - 1] as number) & ANSWER;
  return answers;
}
