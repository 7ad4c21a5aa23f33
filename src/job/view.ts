/** `turnmill view`: serves a dataset, a folder of logs (built into a temporary folder first), or a growing log. */
import { existsSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { manifestPath } from '../dataset/layout.ts';
import { io, ioError, TurnmillError } from '../errors.ts';
import type { SourceRef } from '../input/sources/source.ts';
import { readingSettingsIn } from '../settings/as-built.ts';
import { resolveSettings, type Settings } from '../settings/settings.ts';
import { createTemporaryFolder, removeLeftovers } from '../temporary-folder.ts';
import { FollowedLog } from '../view/follow.ts';
import type { Viewed } from '../view/routes.ts';
import { type Serving, serve } from '../view/server.ts';
import { LogSources } from '../view/sources.ts';
import { ViewedDataset } from '../view/viewed-dataset.ts';
import { inputsThere } from './dataset-inputs.ts';

export interface ViewRequest {
  /** A dataset, a folder of logs, or a log. */
  readonly target: string;
  /** The inputs of the build, for showing logged lines beside records; undefined for those that the dataset names. */
  readonly logs?: readonly string[] | undefined;
  readonly port?: number | undefined;
  readonly origins?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface View {
  readonly viewed: Viewed;
  /** Removes its temporary files. */
  close(): void;
}

/** Logs of lines, which may grow; other files are read as a whole. */
const LINES = /\.(?:jsonl|ndjson|log)$/i;

/**
 * Opens the dataset or log.
 * @throws TurnmillError `no-input` if it does not exist
 */
export async function openView({ target, logs, signal }: ViewRequest): Promise<View> {
  removeLeftovers();
  const stat = statSync(target, { throwIfNoEntry: false });
  if (stat === undefined) throw new TurnmillError('no-input', `${target} not found`, { subject: target });
  if (stat.isDirectory() && existsSync(manifestPath(target)))
    return openDataset(target, target, logs ?? inputsThere(target), [
      ...['--in', target],
      ...(logs?.length === 1 && isFolder(logs[0] as string) ? ['--root', ...logs] : []),
    ]);
  if (stat.isFile() && LINES.test(target)) return openLog(target);
  const temporary = createTemporaryFolder('view');
  const remove = (): void => rmSync(temporary, { recursive: true, force: true });
  try {
    const { build } = await import('./build.ts');
    const out = join(temporary, 'dataset');
    await build({ inputs: [target], out, report: false }, { ...(signal && { signal }) });
    const root = stat.isDirectory() ? target : dirname(target);
    const view = await openDataset(out, target, [target], ['--root', root]);
    const close = (): void => {
      view.close();
      remove();
    };
    return { viewed: view.viewed, close };
  } catch (error) {
    remove();
    throw error;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Serves a view until its `close` is called. */
export async function serveView(view: View, { port = 0, origins = [] }: ViewRequest): Promise<Serving> {
  try {
    return await serve(view.viewed, { port, origins });
  } catch (error) {
    throw ioError('listen on', `127.0.0.1:${port}`, error);
  }
}

function openLog(path: string): View {
  const log = io('read', path, () => new FollowedLog(path));
  return { viewed: { name: log.name, log }, close: () => log.close() };
}

/** @param shown the path as the user wrote it */
async function openDataset(
  root: string,
  shown: string,
  logs: readonly string[],
  explainWith: readonly string[],
): Promise<View> {
  const dataset = await ViewedDataset.open(root);
  const settings = readingSettings(dataset);
  const sources = new LogSources(logs);
  const changesOf = async (ref: SourceRef, line: number, offset?: number): Promise<unknown> => {
    const { explainLine } = await import('./explain.ts');
    const explanations = await explainLine({ ref, line, settings, withTexts: true });
    return explanations.find((explanation) => explanation.offset === offset) ?? explanations[0];
  };
  const viewed = { name: basename(resolve(shown)), explainWith, dataset, sources, changesOf };
  return { viewed, close: () => dataset.close() };
}

function readingSettings({ manifest }: ViewedDataset): Settings {
  // Formats are not needed, and may be those of a plug-in.
  const { format, onFinding, meta, ...reading } = readingSettingsIn(manifest.settings);
  try {
    return resolveSettings({ ...reading, inputs: ['-'], integrity: false });
  } catch {
    return resolveSettings({ inputs: ['-'], integrity: false });
  }
}
