/** Every dialect has one example, and the pages of docs/ show what the built command writes for it in every format. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dialects } from '../../transforms/dialects/index.ts';
import { formats } from '../../transforms/formats/index.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { temporaryFolder } from '../support/folder.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = join(root, 'examples/dialects');
const pageOf = (name: string): string => readFileSync(join(root, 'docs/reference', name), 'utf8');
const namesOf = (plugins: readonly { readonly name: string }[]): string[] => plugins.map(({ name }) => name);

/** The section of a page about this plug-in. */
function sectionOf(page: string, name: string): string {
  return (
    pageOf(page)
      .split(/^## /m)
      .find((part) => part.startsWith(`${name}\n`)) ?? ''
  );
}

function exampleOf(dialect: string): string {
  const files = readdirSync(folder).filter((file) => file.split('.')[0] === dialect);
  expect(files).toHaveLength(1);
  return join(folder, files[0] as string);
}

/** Builds these inputs and returns the records. */
async function written(...args: readonly string[]): Promise<string> {
  const out = join(temporaryFolder(), 'out');
  const { status, stderr } = await turnmill(['build', ...args, '--out', out, '--group-by', 'none']);
  expect({ status, errors: status === 0 ? '' : stderr }).toEqual({ status: 0, errors: '' });
  const shards = readdirSync(join(out, 'data'));
  expect(shards).toHaveLength(1);
  return readFileSync(join(out, 'data', shards[0] as string), 'utf8').trimEnd();
}

describe('the example of a dialect', () => {
  it('exists for each dialect and for nothing else', () => {
    const named = readdirSync(folder).map((file) => file.split('.')[0]);
    expect(named.sort()).toEqual(namesOf(dialects).sort());
  });

  it.each(namesOf(dialects))('%s: is detected, read in full and shown with its records', async (name) => {
    const example = exampleOf(name);
    const records = await written(example);
    expect(records).not.toBe('');
    expect(await written(example, '--dialect', name)).toBe(records);
    const section = sectionOf('dialects.md', name);
    expect(section).toContain(`\n${readFileSync(example, 'utf8').trimEnd()}\n\`\`\``);
    expect(section).toContain(`\`\`\`jsonl\n${records}\n\`\`\``);
  });
});

describe('the example of a format', () => {
  it.each(namesOf(formats))('%s: is what the command writes', async (name) => {
    const record = await written(exampleOf('exchange'), '--format', name);
    expect(sectionOf('formats.md', name)).toContain(`\`\`\`jsonl\n${record}\n\`\`\``);
  });
});
