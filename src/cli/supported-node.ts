/** Which versions of Node are supported. In a separate chunk, because the parser of yargs throws in a version that is too old. */

/** The supported versions, as in `engines` of package.json, for the error message. */
export const SUPPORTED = '20.19 or a later 20, 22.12 or a later 22, 24 or later';

/** @param version as in `process.versions.node` */
export function supportsNode(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major === 20) return minor >= 19;
  if (major === 22) return minor >= 12;
  return major >= 24;
}
