/**
 * Model and harness of each record, as `--meta` wrote them, for filters: four bytes per record. They are read once, on
 * first use.
 */
import { setImmediate } from 'node:timers/promises';
import { metadataIn, metadataMember } from '../../transforms/formats/record-metadata.ts';

export const META_FIELDS = ['model', 'harness'] as const;
export type MetaField = (typeof META_FIELDS)[number];

/** The names after these are not told apart. */
const MAX_NAMES = 65_535;

interface MetaSettings {
  readonly meta?: readonly string[];
  readonly format?: readonly string[];
}

/** The names of one member, and for each record the index of its name, from 1; 0 for none. */
interface Column {
  readonly names: string[];
  readonly indexes: Map<string, number>;
  readonly of: Uint16Array;
}

export class MetaColumns {
  readonly #columns: ReadonlyMap<MetaField, Column>;

  private constructor(fields: readonly MetaField[], records: number) {
    this.#columns = new Map(
      fields.map((field) => [field, { names: [], indexes: new Map(), of: new Uint16Array(records) }]),
    );
  }

  /**
   * @param settings of the build
   * @param pages the records in order, page by page
   */
  static async read(
    { meta = [], format = [] }: MetaSettings,
    records: number,
    pages: Iterable<readonly Buffer[]>,
  ): Promise<MetaColumns> {
    const fields = META_FIELDS.filter((field) => meta.includes(field));
    const columns = new MetaColumns(fields, fields.length === 0 ? 0 : records);
    if (fields.length === 0) return columns;
    const members = new Set(format.map(metadataMember));
    let record = 0;
    for (const page of pages) {
      for (const content of page) {
        for (const member of members) columns.#note(record, metadataIn(content, member));
        record += 1;
      }
      await setImmediate();
    }
    return columns;
  }

  has(record: number, field: MetaField, name: string): boolean {
    const column = this.#columns.get(field);
    const index = column?.indexes.get(name);
    return index !== undefined && column?.of[record] === index;
  }

  /** Returns the names of a member, and the number of their records. */
  count(field: MetaField): ReadonlyMap<string, number> {
    const { names, of } = this.#columns.get(field) ?? { names: [], of: [] };
    const counts = new Uint32Array(names.length + 1);
    for (const index of of) counts[index] = (counts[index] as number) + 1;
    return new Map(names.map((name, i) => [name, counts[i + 1] as number]));
  }

  #note(record: number, metadata: Readonly<Record<string, unknown>>): void {
    for (const [field, { names, indexes, of }] of this.#columns) {
      const name = metadata[field];
      if (typeof name !== 'string') continue;
      let index = indexes.get(name);
      if (index === undefined && names.length < MAX_NAMES) {
        index = names.push(name);
        indexes.set(name, index);
      }
      if (index !== undefined) of[record] = index;
    }
  }
}
