/**
 * Strict validation in TypeScript, byte by byte, beside JSON.parse.
 */
import { createPlainScanner } from '../../transforms/json/scanner.ts';
import type { MicroCase } from './micro-case.ts';
import { sample } from './sample.ts';
import { scanCase } from './scanner.ts';

/** The plain scanner, and what it is instead of. */
export const cases = (): readonly MicroCase[] => {
  const { bytes, lines } = sample();
  return [
    scanCase('plain scanner', createPlainScanner(), bytes, lines),
    {
      name: 'JSON.parse of the decoded line',
      bytes: bytes.length,
      items: lines.length,
      run: () => {
        let keys = 0;
        for (const line of lines) keys += Object.keys(JSON.parse(line.toString('utf8'))).length;
        return keys;
      },
    },
  ];
};
