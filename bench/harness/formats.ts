/**
 * Several formats in one pass against one format: the logs are read and selected once. The reference is the default format alone.
 */
import { recordsOfFormats } from './checks.ts';
import type { Contender } from './contender.ts';
import { turnmillBin } from './repository.ts';

const inFormats = (name: string, formats: readonly string[]): Contender => ({
  name,
  label: `turnmill, ${formats.join(' + ')}`,
  needs: { file: turnmillBin },
  command: (directory, out) => [
    ...['node', turnmillBin, 'build', directory, '--out', out, '--workers', '1'],
    ...formats.flatMap((format) => ['--format', format]),
  ],
  check: recordsOfFormats(formats.length),
});

/** The contenders of the section `formats`. */
export const formatsContenders: readonly Contender[] = [
  inFormats('turnmill', ['chat']),
  inFormats('turnmill-trl', ['trl']),
  inFormats('turnmill-functiongemma', ['functiongemma']),
  inFormats('turnmill-three', ['chat', 'trl', 'openai']),
  inFormats('turnmill-three-others', ['axolotl', 'sharegpt', 'samples']),
];
