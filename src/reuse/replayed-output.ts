/**
 * The dataset of a replay. A contained session names the place of a record that may be written later, so its line is
 * held with the number of that record's path, and gets the place at the end.
 */
import { createAppendFile } from '../dataset/append-file.ts';
import { LINE_FILES, WORK_FILES } from '../dataset/layout.ts';
import { lineFileOver, type PlainLineFile } from '../dataset/line-file.ts';
import type { RecordResult } from '../ledger/result.ts';
import { DatasetOutput, type DatasetOutputOptions, type Location } from '../record/output.ts';
import type { WrittenPath } from '../record/path-writer.ts';
import { CheckedLines, changedSince } from './checked-lines.ts';
import { checkStagedFiles } from './previous-run.ts';

/** As `pendingPlace` writes it. A quote inside a text of the line has a backslash, so it matches nowhere else. */
const PENDING = /"in":\{"shard":"","line":(\d+)\}/;

export interface ReplayedOutputOptions extends DatasetOutputOptions {
  /** Returns whether sessions are contained in the record of this path. */
  readonly isContainer: (path: number) => boolean;
  /** Returns the split of the records of this path; undefined without splits. */
  readonly splitOf: (path: number) => string | undefined;
}

export class ReplayedOutput extends DatasetOutput {
  readonly #isContainer: (path: number) => boolean;
  readonly #splitOf: (path: number) => string | undefined;
  readonly #sessions: PlainLineFile;
  /** Places of the records that contain sessions, by path. */
  readonly #places = new Map<number, Location>();
  #paths = 0;

  constructor(options: ReplayedOutputOptions) {
    super(options);
    this.#isContainer = options.isContainer;
    this.#splitOf = options.splitOf;
    this.#sessions = lineFileOver(createAppendFile(`${this.root}/${WORK_FILES.sessions}`, 0o600));
  }

  override line(file: string, json: string): void {
    if (file === LINE_FILES.sessions) this.#sessions.writeText(json);
    else super.line(file, json);
  }

  /** The records of a conversation come before its path. */
  override record(record: RecordResult): Location | Promise<Location> {
    return this.recordIn(record, this.#splitOf(this.#paths));
  }

  override path(path: WrittenPath): void {
    const number = this.#paths++;
    if (path.place !== undefined && this.#isContainer(number)) this.#places.set(number, path.place);
    super.path(path);
  }

  /** Writes the lines of the sessions. Call it when all results have been taken. */
  async writeSessions(signal?: AbortSignal): Promise<void> {
    this.#sessions.close();
    const { bytes, crc32, path } = this.#sessions;
    const written = [{ path: WORK_FILES.sessions, bytes, crc32 }];
    const refuse = (): never => {
      throw changedSince(path);
    };
    const [checked] = await checkStagedFiles(this.root, written, refuse, signal);
    if (checked === undefined) return;
    const lines = new CheckedLines(path, bytes, checked.sums);
    for (let line = lines.next(); line !== undefined; line = lines.next())
      super.line(LINE_FILES.sessions, this.#placed(line.toString()));
  }

  override async discard(): Promise<void> {
    this.#sessions.abandon();
    await super.discard();
  }

  #placed(line: string): string {
    return line.replace(PENDING, (_, path: string) => {
      const { shard, line: number } = this.#places.get(Number(path)) as Location;
      return `"in":${JSON.stringify({ shard, line: number })}`;
    });
  }
}
