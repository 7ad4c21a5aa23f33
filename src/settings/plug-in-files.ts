/** Loads the plug-ins that a run names by file, which has to happen before its settings can be checked. */
import { loadPlugIns } from './plug-ins.ts';
import type { Given } from './settings.ts';

/** Options that `build` and `check` take. */
export type BuildRequest = Given & {
  /** Paths of ES modules that export dialects, formats or stages. */
  readonly plugins?: readonly string[] | undefined;
};

/** @throws TurnmillError `usage` with the file's name */
export async function withPlugInFiles({ plugins = [], ...request }: BuildRequest): Promise<Given> {
  return plugins.length === 0 ? request : { ...request, plugIns: await loadPlugIns(plugins) };
}
