/** The road of small files: each is read whole and takes the shortcut through the stages. */

import type { SourceFault } from '../errors.ts';
import { bugFault } from './bug-fault.ts';
import type { DeliveryBuilder } from './delivery.ts';
import type { Watch } from './instrument.ts';
import type { Intake } from './intake.ts';
import type { SourceOpener } from './source-opener.ts';
import { allOf, type Ended, type OpenSource, type ReadSource } from './source-report.ts';

/** A file that was read whole. */
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
    if (framing === undefined) return undefined;
    const { identity, fingerprint } = file as NonNullable<typeof file>;
    const { bytes } = framing;
    const begin = { kind: 'source-begin', source: index, identity } as const;
    delivery.add({ ...begin, provisional: false, again: undefined }); // it was read to its end and did not change
    delivery.countRead(bytes);
    const reader = {
      compression: 'none',
      misnamed: false,
      fingerprint: () => fingerprint,
      readBytes: () => bytes,
    } as const;
    const source = { index, reader };
    try {
      return { source, ended: allOf(intake.end(framing)), fault: undefined };
    } catch (error) {
      const fault = bugFault(error);
      if (fault === undefined) throw error;
      delivery.add({ ...begin, provisional: true, again: true }); // withdraws its results
      return { source, ended: intake.fail(framing), fault };
    }
  }
}
