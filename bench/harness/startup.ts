/**
 * Start-up: what it costs to do next to nothing, against `node -e 0`. The input is one entry of the
 * small corpus (about 2 KB).
 */
import { exitStatusOnly, recordsInShards } from './checks.ts';
import type { Contender } from './contender.ts';
import { turnmillBin } from './repository.ts';

/** The contenders of the section `startup`; the reference is `node`. */
export const startupContenders: readonly Contender[] = [
  {
    name: 'node',
    label: 'node -e 0',
    needs: { program: 'node' },
    command: () => ['node', '-e', '0'],
    check: exitStatusOnly,
  },
  {
    name: 'turnmill-help',
    label: 'turnmill --help',
    needs: { file: turnmillBin },
    command: () => ['node', turnmillBin, '--help'],
    check: exitStatusOnly,
  },
  {
    name: 'turnmill-tiny',
    label: 'turnmill build, one entry',
    needs: { file: turnmillBin },
    command: (directory, out) => [
      ...['node', turnmillBin, 'build', directory, '--out', out, '--workers', '1'],
    ],
    check: recordsInShards,
  },
];
