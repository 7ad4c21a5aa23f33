/** Finds and prints the answers of `turnmill explain`. */
import { explainLine } from '../job/explain.ts';
import { withPlugInFiles } from '../settings/plug-in-files.ts';
import { resolveSettings } from '../settings/settings.ts';
import { explanationText } from './explanation-text.ts';
import { findRecords, type RecordPlace } from './find-record.ts';
import { parseAddress, sourceAt } from './line-address.ts';
import type { Values } from './options/option.ts';
import { settingsOf } from './options/settings-of.ts';
import { endPrinting, printLine } from './print.ts';
import { checkStdin } from './stdin.ts';

export async function answer(where: string, values: Values, signal: AbortSignal): Promise<void> {
  const { file, line } = parseAddress(where);
  const settings = resolveSettings(await withPlugInFiles(settingsOf([file], values)));
  checkStdin([file], true);
  const ref = sourceAt(file, values.root);
  for (const found of await explainLine({ ref, line, settings, signal })) {
    const records = await recordsOf(found, values.in);
    const text =
      values.json === true ? JSON.stringify({ ...found, records }) : explanationText(found, records);
    await printLine(text);
  }
  await endPrinting();
}

type Found = Awaited<ReturnType<typeof explainLine>>[number];

async function recordsOf(
  { source, session, snapshotLine }: Found,
  out: string | undefined,
): Promise<readonly RecordPlace[] | undefined> {
  if (out === undefined) return undefined;
  return session !== undefined && snapshotLine !== undefined ? findRecords(out, source, session) : [];
}
