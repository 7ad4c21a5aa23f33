/** Names that come from logs are looked up in a Map, or with `Object.hasOwn`: a plain object also has what every object inherits. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const files = readdirSync(join(root, 'transforms'), { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.ts'),
);
const TABLE = /^(?:export )?const (\w+): Readonly<Record<string, /gm;

/** Look-ups in tables of a module that find inherited members, by line. */
function looseLookups(text: string): readonly string[] {
  const tables = [...text.matchAll(TABLE)].map(([, name]) => name as string);
  return tables.flatMap((name) =>
    text.split('\n').flatMap((line, i) => {
      const isLookup = new RegExp(`\\b${name}\\[`).test(line);
      return isLookup && !line.includes(`Object.hasOwn(${name}`) ? [`${i + 1}: ${line.trim()}`] : [];
    }),
  );
}

it.each(files)('transforms/%s', (path) => {
  expect(looseLookups(readFileSync(join(root, 'transforms', path), 'utf8'))).toEqual([]);
});

it('finds a look-up in a plain object', () => {
  const table = 'const ROLES: Readonly<Record<string, string>> = {};\n';
  expect(looseLookups(`${table}const role = ROLES[name];`)).toEqual(['2: const role = ROLES[name];']);
  expect(looseLookups(`${table}const role = Object.hasOwn(ROLES, name) ? ROLES[name] : name;`)).toEqual([]);
});
