/** Messages for the tests of the rules. */
import type { Message } from '../../../transforms/model/element.ts';
import { asBuffer } from '../bytes.ts';
import { messageOf } from '../checks/samples.ts';

export { messageOf };

export const of = (role: string, content: unknown): Message => messageOf({ role, content });

/** A message from JSON text, in a Buffer that is a view. */
export const raw = (role: string, json: string): Message => ({ role, bytes: asBuffer(json) });

export const part = (text: unknown): object => ({ type: 'text', text });
export const IMAGE = { type: 'image_url', image_url: { url: 'data:' } };

/** Every character that Python strips. */
export const SPACES =
  '\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';
