/** The numbers of the first page: those of the report, which the build has counted. */
import { refusedIn } from '../ledger/refused.ts';
import type { OverviewAnswer } from './app/overview.tsx';
import { MAX_SESSIONS_SOON } from './rows.ts';
import type { ViewedDataset } from './viewed-dataset.ts';

export async function overviewOf(dataset: ViewedDataset): Promise<OverviewAnswer> {
  const { totals, ledger, settings, shards } = dataset.manifest;
  const profile = dataset.profile();
  return {
    manifest: { totals, ledger, settings, shards: shards.map(({ bytes }) => ({ bytes })) },
    refused: profile === undefined ? [] : refusedIn(ledger),
    ...(profile !== undefined && { profile }),
    withoutRecord: await rulesWithoutRecord(dataset),
  };
}

/** In a large dataset all findings lead to records, because counting them takes time. */
async function rulesWithoutRecord(dataset: ViewedDataset): Promise<readonly string[]> {
  if (dataset.sessions > MAX_SESSIONS_SOON) return [];
  const columns = await dataset.columns();
  const counts = columns.countRules(dataset.records, await dataset.sessionsOfRecords());
  return [...counts].filter(([, count]) => count === 0).map(([rule]) => rule);
}
