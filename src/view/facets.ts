/** The filters that a list can have: names for each field, the most frequent first, with the number of their rows if it is known. */
import type { Field } from './app/query.ts';
import type { Facet, FacetName, Terms } from './app/types.ts';
import { columnMatcher, isRightIn, type Searched } from './search.ts';
import { splitOf, type ViewedDataset } from './viewed-dataset.ts';

const MAX_NAMES = 40;

export async function facetsOf(dataset: ViewedDataset, list: Searched): Promise<readonly Facet[]> {
  const profile = dataset.profile();
  if (list === 'rejected')
    return filled([
      {
        field: 'reason',
        names: profile?.rejections.map(({ reason, count }) => ({ name: reason, count })) ?? [],
      },
    ]);
  const columns = await dataset.columns();
  const sessionOf = list === 'sessions' ? (row: number) => row : await dataset.sessionsOfRecords();
  const findings = namesOf(columns.countRules(dataset[list], sessionOf));
  const dialects = namesOf(columns.dialects.count(dataset[list], sessionOf));
  const dialect: Facet = { field: 'dialect', names: dialects.length > 1 ? dialects : [] };
  const model: Facet = { field: 'model', names: namesOf(columns.models.count(dataset[list], sessionOf)) };
  if (list === 'sessions')
    return filled([
      { field: 'finding', names: findings },
      dialect,
      model,
      { field: 'fate', names: namesOf(fatesIn(dataset)) },
    ]);
  return filled([
    { field: 'split', names: namesOf(recordsBy(dataset, 'split', splitOf)) },
    { field: 'format', names: namesOf(recordsBy(dataset, 'format', (path) => dataset.formatOf(path))) },
    { field: 'finding', names: findings },
    { field: 'tool', names: Object.keys(profile?.records.tools ?? {}).map((name) => ({ name })) },
    dialect,
    model,
  ]);
}

/** Fields whose names are in the rows themselves. */
const SHOWN: readonly string[] = ['tool', 'fate', 'reason'];

/** Returns a function that returns the names of a row that the row does not show, for an exported page. */
export async function termsOf(
  dataset: ViewedDataset,
  list: 'records' | 'sessions',
): Promise<(row: number) => Terms> {
  const groups = [...new Set(dataset.manifest.shards.map(({ group }) => group))];
  const facets = (await facetsOf(dataset, list)).filter(({ field }) => !SHOWN.includes(field));
  if (list === 'records') facets.push({ field: 'group', names: groups.map((name) => ({ name })) });
  const columns = await dataset.columns();
  const testFor = async (field: Field, name: string): Promise<(row: number) => boolean> =>
    list === 'records'
      ? columnMatcher(dataset, { [field]: [name] })
      : (row) => isRightIn(columns, row, { [field]: [name] });
  const fields = await Promise.all(
    facets.map(async ({ field, names }) => {
      const tests = names.map(async ({ name }) => ({ name, has: await testFor(field, name) }));
      return { field, tests: await Promise.all(tests) };
    }),
  );
  return (row) =>
    Object.fromEntries(
      fields.map(({ field, tests }) => [field, tests.filter(({ has }) => has(row)).map(({ name }) => name)]),
    );
}

function namesOf(counts: ReadonlyMap<string, number>): readonly FacetName[] {
  return [...counts]
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_NAMES)
    .map(([name, count]) => ({ name, count }));
}

/** Sessions by the first part of their fate, which the manifest has counted. */
function fatesIn({ manifest }: ViewedDataset): ReadonlyMap<string, number> {
  const { seen: _seen, ...fates } = manifest.ledger.sessions ?? {};
  return new Map(Object.entries(fates));
}

/** Counts records by a part of the paths of their shards, if the setting has divided them. */
function recordsBy(
  { manifest }: ViewedDataset,
  setting: 'split' | 'format',
  nameIn: (path: string) => string,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const value = (manifest.settings as Readonly<Record<string, unknown>>)[setting];
  if (value === undefined || (Array.isArray(value) && value.length < 2)) return counts;
  for (const { path, records } of manifest.shards)
    counts.set(nameIn(path), (counts.get(nameIn(path)) ?? 0) + records);
  return counts;
}

const filled = (facets: readonly Facet[]): readonly Facet[] => facets.filter(({ names }) => names.length > 0);
