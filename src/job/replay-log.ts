/** Writes the files of a replay: logs of lines, documents of elements, and copies of whole files. */

import type { AppendFile } from '../dataset/append-file.ts';
import type { LineFile } from '../dataset/line-file.ts';
import { SourceFault } from '../errors.ts';
import { openFile } from '../input/sources/file.ts';
import { isObject, type SourceRef } from '../input/sources/source.ts';
import type { ReplayTarget } from './replay-target.ts';

const DOCUMENT = /\.json(?:\.(?:gz|zst))?$/i;
const COPY_BYTES = 1024 * 1024;

/** A source to copy unchanged, without unpacking. */
interface CopySource {
  read(room: Uint8Array): number | Promise<number>;
  verify(): void;
  close(): void;
}

/** Copies a source. Returns false if it cannot be read, or changes while it is read. */
export async function copySource(from: SourceRef, name: string, target: ReplayTarget): Promise<boolean> {
  let file: CopySource | undefined;
  let copy: AppendFile | undefined;
  try {
    file = isObject(from)
      ? (await import('../input/open-object.ts')).openStored(from)
      : openFile(Buffer.from(from.path ?? '', 'latin1'), { follow: true, expected: from });
    copy = target.openCopy(name);
    const room = Buffer.allocUnsafe(COPY_BYTES);
    for (let count = await file.read(room); count > 0; count = await file.read(room))
      copy.write(room.subarray(0, count));
    file.verify();
    copy.sync();
    copy.close();
    return true;
  } catch (error) {
    copy?.abandon();
    if (!(error instanceof SourceFault)) throw error;
    if (copy !== undefined) target.remove(name);
    return false;
  } finally {
    file?.close();
  }
}

export interface Log {
  write(line: Uint8Array): void;
  /** Completes the log. Returns false if nothing was written. */
  end(): boolean;
}

/** Creates a log, as a file only once it has a line. The elements of a document become a document again. */
export function createLog(name: string, target: ReplayTarget): Log {
  const isDocument = DOCUMENT.test(name);
  let file: LineFile | undefined;
  /** The last element of a document, written once it is known whether a comma follows. */
  let last: Uint8Array | undefined;
  return {
    write(line) {
      const isFirst = file === undefined;
      file ??= target.open(name);
      if (!isDocument) file.write(line);
      else if (isFirst) file.write(Buffer.from('['));
      else file.write(Buffer.concat([last as Uint8Array, Buffer.from(',')]));
      last = line;
    },
    end() {
      if (file === undefined) return false;
      if (isDocument) {
        file.write(last as Uint8Array);
        file.write(Buffer.from(']'));
      }
      file.sync();
      file.close();
      return true;
    },
  };
}
