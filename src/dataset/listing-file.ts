/**
 * Saves the list of sources in the staging folder. A run that resumes compares it with the sources that it finds.
 */

import { join } from 'node:path';
import type { Listing } from '../input/sources/source.ts';
import type { FileCheckpoint } from './checkpoint-file.ts';
import { WORK_FILES } from './layout.ts';
import { createLineFile } from './line-file.ts';
import type { ListedSource } from './parse-line.ts';

export function writeListing(root: string, { sources }: Listing): FileCheckpoint {
  const file = createLineFile(join(root, WORK_FILES.listing));
  try {
    for (const { name, nameBase64, input, sizeBytes } of sources) {
      const line: ListedSource = { name, ...(nameBase64 !== undefined && { nameBase64 }), input, sizeBytes };
      file.writeText(JSON.stringify(line));
    }
    file.sync();
    file.close();
  } finally {
    file.abandon();
  }
  return { path: WORK_FILES.listing, bytes: file.bytes, crc32: file.crc32 };
}
