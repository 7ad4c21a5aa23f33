/** The tool's version and the version of the files that it writes. */
import { readFileSync } from 'node:fs';

/** Of the manifest and of every file beside it; a reader refuses a newer one. */
export const SCHEMA_VERSION = 1;

const PACKAGE = new URL('../../package.json', import.meta.url);

/** `version` of package.json. */
export function toolVersion(): string {
  return (JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string }).version;
}
