/** Loads the plug-ins that a run names by file, before its settings are checked. */
import { loadPlugIns } from './plug-ins.ts';
import type { PartialSettings } from './settings.ts';

/** Options that `build` and `check` take. */
export type BuildRequest = PartialSettings & {
  /** Paths of ES modules that export dialects, formats or stages. */
  readonly plugins?: readonly string[] | undefined;
};

/** Loads the plug-in files. @throws TurnmillError `usage` with the name of the file */
export async function withPlugInFiles({ plugins = [], ...request }: BuildRequest): Promise<PartialSettings> {
  return plugins.length === 0 ? request : { ...request, plugIns: await loadPlugIns(plugins) };
}
