/** The version of the tool, and that of the files that it writes. */
import { existsSync, readFileSync } from 'node:fs';

/** Version of the manifest and of every file beside it; readers reject a newer one. */
export const SCHEMA_VERSION = 1;

/** Relative paths of package.json: from `src/` in the repository, or from `dist/`, bundled or not. */
const PACKAGES = ['../package.json', '../../package.json', '../../../package.json'].map(
  (path) => new URL(path, import.meta.url),
);

/** Returns `version` of package.json. */
export function toolVersion(): string {
  const path = PACKAGES.find((candidate) => existsSync(candidate)) ?? (PACKAGES[0] as URL);
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}
