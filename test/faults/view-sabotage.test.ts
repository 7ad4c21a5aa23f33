/** Each of these bugs in the report, the viewer or the loop turns its test red. TURNMILL_SABOTAGE=v4_formula_alone tries only that one. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildCopy, copyProject, runTests, sabotage } from '../support/sabotage.ts';
import { viewSabotages } from '../support/view-sabotages.ts';
import { hasNoBrowser } from '../view/browser.ts';

const ALL = process.env.TURNMILL_FAULTS === 'all';
const ONLY = process.env.TURNMILL_SABOTAGE;
const NO_BROWSER = hasNoBrowser && process.env.FAULTS !== 'strict';
const CHOSEN = Object.entries(viewSabotages).filter(([name]) => ONLY === undefined || name.startsWith(ONLY));

/** A test that runs a test file; skipped if that file needs a browser and there is none. */
function testWith(file: string, title: string, fn: () => void): void {
  if (NO_BROWSER && file.startsWith('test/view/')) test.skip(`${title} (needs chromium)`, fn);
  else test(title, fn);
}

test('every sabotage of the viewer still matches the sources, and has its test', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'turnmill-')), 'copy');
  copyProject(folder);
  for (const one of Object.values(viewSabotages)) {
    sabotage(folder, one)();
    const [file, words] = one.test;
    expect(readFileSync(join(folder, file), 'utf8'), file).toContain(words);
  }
  rmSync(join(folder, '..'), { recursive: true });
});

test('V1 to V12 each have one', () => {
  const ids = Object.keys(viewSabotages).map((name) => name.split('_', 1)[0]);
  expect([...new Set(ids)]).toEqual(Array.from({ length: 12 }, (_, i) => `v${i + 1}`));
});

describe.skipIf(!ALL && ONLY === undefined)('sabotage of the viewer (long)', () => {
  let folder: string;
  beforeAll(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'turnmill-')), 'copy');
    copyProject(folder);
    buildCopy(folder);
  });
  afterAll(() => rmSync(join(folder, '..'), { recursive: true }));

  const tests = [...new Set(CHOSEN.map(([, { test }]) => test.join('\n')))];

  for (const of of tests) {
    const [file = '', words = ''] = of.split('\n');
    testWith(file, `without any, green: ${of}`, () => {
      const green = runTests(folder, [file, words]);
      expect(green.failed).toEqual([]);
      expect(green.passed.length).toBeGreaterThan(0);
    });
  }

  for (const [name, one] of CHOSEN) {
    testWith(one.test[0], `${name} turns its test red`, () => {
      const undo = sabotage(folder, one);
      try {
        buildCopy(folder);
        const red = runTests(folder, one.test);
        expect(red.failed.length, JSON.stringify(red)).toBeGreaterThan(0);
      } finally {
        undo();
      }
    });
  }
});
