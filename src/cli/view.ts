/** Implements `turnmill view`: runs the viewer until a signal arrives, or exports its pages. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkOutside } from '../dataset/overlap.ts';
import { failUsage } from '../errors.ts';
import { openView, serveView } from '../job/view.ts';
import { requireFolder } from '../object-store/url.ts';
import { printable } from '../printable.ts';
import { showCount } from '../sizes.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import type { ExportOptions } from '../view/export.ts';
import type { Viewed } from '../view/routes.ts';
import type { Request } from './commands/command.ts';
import { SIGNALS, type StopSignal, SUCCESS } from './faults.ts';
import type { Host } from './host.ts';
import { keepYoungSpaceSmall } from './node.ts';

const MAX_EXPORTED = 2000;
const ORIGIN = /^https?:\/\/[\w.-]+(?::\d{1,5})?$/;
/** The program that opens a URL, by platform. */
const OPENERS: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer' };

export async function view({ words: [target = ''], values, signal, host }: Request): Promise<number> {
  const { logs, port, origin: origins = [], open, export: folder, limit = MAX_EXPORTED } = values;
  const invalid = origins.find((origin) => !ORIGIN.test(origin));
  if (invalid !== undefined)
    failUsage(`--origin: '${invalid}' is not an origin such as http://localhost:18080`);
  requireFolder('view', target);
  // a page in a dataset would damage it, and one among logs would be read with them
  if (folder !== undefined) checkOutside(folder, [target]);
  // pages may be published, and logs hold what --redact replaced: an export has them only if the user says so
  const request = { target, logs: folder === undefined ? logs : (logs ?? []), port, origins, signal };
  keepYoungSpaceSmall();
  const opened = await openView(request);
  try {
    if (folder !== undefined)
      return await exportPages(opened.viewed, { folder, limit, only: values.only }, host);
    const serving = await serveView(opened, request);
    host.tell(`${serving.url}\n`);
    const page = open === true ? writeOpener(serving.url) : undefined;
    if (page !== undefined) openBrowser(page);
    if (!signal.aborted) await once(signal, 'abort');
    await serving.close();
    if (page !== undefined) rmSync(dirname(page), { recursive: true, force: true });
  } finally {
    opened.close();
  }
  return statusOf(signal.reason);
}

async function exportPages(viewed: Viewed, options: ExportOptions, host: Host): Promise<number> {
  const { exportView } = await import('../view/export.ts');
  const { records, total, missing } = await exportView(viewed, options);
  if (missing !== undefined) host.tell(`turnmill: ${printable(missing)}\n`);
  await host.print(
    `${showCount(records)} of ${showCount(total)} records in ${printable(options.folder)}/index.html`,
  );
  await host.endPrinting();
  return SUCCESS;
}

/** Returns the exit status for the signal that ended the viewer; nothing else ends it. */
function statusOf(reason: unknown): number {
  const { message } = reason as Error;
  const name = (Object.keys(SIGNALS) as StopSignal[]).find((signal) => message.endsWith(signal));
  return SIGNALS[name ?? 'SIGINT'];
}

/**
 * Writes a page that leads to the address and that only its owner can read: other users can see the arguments of a
 * program, and the address has the key.
 */
function writeOpener(url: string): string {
  const page = join(createTemporaryFolder('view'), 'open.html');
  writeFileSync(page, `<!doctype html><meta http-equiv="refresh" content="0;url=${url}">\n`, { mode: 0o600 });
  return page;
}

/** Opens the browser. A failure is ignored, because the terminal shows the address too. */
function openBrowser(page: string): void {
  const child = spawn(OPENERS[process.platform] ?? 'xdg-open', [page], { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
}
