import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checks } from '../../../transforms/checks/index.ts';

const HELPERS = ['check', 'index', 'result-verdict', 'role-trace', 'shown-name'];

describe('the registry of checks', () => {
  it('holds every check in the folder, sorted by file name', () => {
    const files = readdirSync(new URL('../../../transforms/checks/', import.meta.url)).map((file) =>
      file.replace(/\.ts$/, ''),
    );
    expect(checks.map(({ name }) => name)).toEqual(files.filter((file) => !HELPERS.includes(file)).sort());
  });

  it('holds each rule once, in kebab case', () => {
    const rules = checks.flatMap((check) => check.rules);
    expect(new Set(rules).size).toBe(rules.length);
    for (const rule of rules) expect(rule).toMatch(/^[a-z]+(-[a-z]+)*$/);
  });
});
