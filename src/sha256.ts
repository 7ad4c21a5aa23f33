/** Of something that is held as a whole; what streams by is hashed where it does. */
import { createHash } from 'node:crypto';

/** In hexadecimal. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
