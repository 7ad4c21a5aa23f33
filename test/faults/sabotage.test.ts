/**
 * Proves that the tests can fail: each of these bugs, put into a copy of the sources, turns its test red, and the test is green without it.
 * TURNMILL_SABOTAGE=skip_fsync tries only that one.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildCopy, copyProject, runTests, sabotage, sabotages } from '../support/sabotage.ts';

const ALL = process.env.TURNMILL_FAULTS === 'all';
const ONLY = process.env.TURNMILL_SABOTAGE;
const LONG_MS = 5 * 60_000;
const CHOSEN = Object.entries(sabotages).filter(([name]) => ONLY === undefined || name === ONLY);

test('every sabotage pattern still matches the sources', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'turnmill-')), 'copy');
  copyProject(folder);
  for (const one of Object.values(sabotages)) sabotage(folder, one)();
  rmSync(join(folder, '..'), { recursive: true });
});

describe.skipIf(!ALL && ONLY === undefined)('sabotage (long)', () => {
  let folder: string;
  beforeAll(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'turnmill-')), 'copy');
    copyProject(folder);
    buildCopy(folder);
  });
  afterAll(() => rmSync(join(folder, '..'), { recursive: true }));

  test('there are eight', () => expect(CHOSEN.length).toBe(ONLY === undefined ? 8 : 1));

  test.each(CHOSEN)(
    '%s turns its test red',
    (_name, one) => {
      const green = runTests(folder, one.test);
      expect(green.failed).toEqual([]);
      expect(green.passed.length).toBeGreaterThan(0);
      const undo = sabotage(folder, one);
      try {
        buildCopy(folder);
        const red = runTests(folder, one.test);
        expect(red.failed.length, JSON.stringify(red)).toBeGreaterThan(0);
        for (const name of red.failed) expect(name).toContain(one.test[1]);
      } finally {
        undo();
        buildCopy(folder);
      }
    },
    LONG_MS,
  );
});
