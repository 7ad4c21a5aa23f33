/** The road of small files: each is read whole and takes the shortcut through the stages. */

import type { SourceFault } from '../errors.ts';
import type { FramingCounts } from '../input/framing/framer.ts';
import type { SmallFile } from '../input/sources/small-file.ts';
import { bugFault } from './bug-fault.ts';
import type { DeliveryBuilder } from './delivery.ts';
import type { Watch } from './instrument.ts';
import type { Intake } from './intake.ts';
import type { SourceOpener } from './source-opener.ts';
import { allOf, type Ended, type OpenSource, type ReadSource } from './source-report.ts';

interface WholeFile {
  readonly source: ReadSource;
  readonly ended: Ended;
  /** Set after a bug. */
  readonly fault: SourceFault | undefined;
}

interface Road {
  readonly watch: Watch;
  readonly delivery: DeliveryBuilder;
  readonly opener: SourceOpener;
  readonly intake: Intake;
}

export class SmallFiles {
  readonly #road: Road;

  constructor(road: Road) {
    this.#road = road;
  }

  /** @returns undefined if the source has to be opened like any other file */
  take({ index, ref }: OpenSource): WholeFile | undefined {
    const { watch, delivery, opener, intake } = this.#road;
    const file = intake.canTakeShortcut ? watch.within('read', () => opener.readSmall(ref)) : undefined;
    const framing = file && intake.takeWhole(file.bytes);
    if (file === undefined || framing === undefined) return undefined;
    const { identity } = file;
    // it was read to its end and did not change
    delivery.add({ kind: 'source-begin', source: index, provisional: false, identity, again: undefined });
    delivery.countRead(framing.bytes);
    return this.#end({ index, reader: readerOf(file, framing) }, framing, identity);
  }

  /** Ends a source. After a bug it begins again, so that its results are withdrawn. */
  #end(source: ReadSource, framing: FramingCounts, identity: string): WholeFile {
    const { delivery, intake } = this.#road;
    try {
      return { source, ended: allOf(intake.end(framing)), fault: undefined };
    } catch (error) {
      const fault = bugFault(error);
      if (fault === undefined) throw error;
      delivery.add({ kind: 'source-begin', source: source.index, provisional: true, identity, again: true });
      return { source, ended: intake.fail(framing), fault };
    }
  }
}

const readerOf = (
  { fingerprint }: SmallFile,
  { bytes }: FramingCounts,
): NonNullable<ReadSource['reader']> => ({
  compression: 'none',
  misnamed: false,
  fingerprint: () => fingerprint,
  readBytes: () => bytes,
});
