/** The tool's version and the version of the files that it writes. */
import { existsSync, readFileSync } from 'node:fs';

/** Version of the manifest and of every file beside it; readers reject a newer one. */
export const SCHEMA_VERSION = 1;

/** Relative paths of package.json: from `src/` in the repository, or from `dist/`, bundled or not. */
const PACKAGES = ['../package.json', '../../package.json', '../../../package.json'].map(
  (path) => new URL(path, import.meta.url),
);

/** `version` of package.json. */
export function toolVersion(): string {
  const found = PACKAGES.find((path) => existsSync(path)) ?? (PACKAGES[0] as URL);
  return (JSON.parse(readFileSync(found, 'utf8')) as { version: string }).version;
}
