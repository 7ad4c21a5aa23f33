/** A line of a client's log whose type is renamed is rejected if it has a text, a call or a result; in every golden of clients. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { check } from '../../src/index.ts';
import { temporaryFolder } from '../support/folder.ts';

const goldens = resolve(import.meta.dirname, '../goldens');
const CLIENTS = /^(?:cc|codex|gemini|goose|openhands|pi|qwen|sts)-?/;
/** Strings that every line has in such logs. */
const CONTENT = /"(?:text|content|arguments|message|thought|output|error)":\s*(?:"[^"]|\[[^\]])/;
/** Members that name the type of a line. */
const NAMES = ['type', 'kind', 'action', 'observation'] as const;

const logs = readdirSync(goldens)
  .filter((name) => CLIENTS.test(name))
  .flatMap((name) => readdirSync(join(goldens, name, 'logs')).map((file) => join(name, 'logs', file)))
  .filter((path) => path.endsWith('.jsonl'));

/** The log with the type of one line renamed, for each line with content that has one. */
function* renamed(text: string): Generator<string> {
  const lines = text.trimEnd().split('\n');
  for (const [i, line] of lines.entries()) {
    const isRepeated = lines.indexOf(line) !== lines.lastIndexOf(line);
    if (i === 0 || isRepeated || !CONTENT.test(line) || !/^\s*\{.*\}\s*$/.test(line)) continue;
    let object: Record<string, unknown>;
    try {
      object = JSON.parse(line) as Record<string, unknown>;
    } catch {
      continue;
    }
    const key = NAMES.find((name) => typeof object[name] === 'string');
    if (key === undefined) continue;
    const odd = JSON.stringify({ ...object, [key]: 'odd_name' });
    yield `${lines.with(i, odd).join('\n')}\n`;
  }
}

it.each(logs)('%s', async (path) => {
  const file = join(temporaryFolder(), 'log.jsonl');
  for (const text of renamed(readFileSync(join(goldens, path), 'utf8'))) {
    writeFileSync(file, text);
    const { rejections } = await check({ inputs: [file], workers: 1, allowEmpty: true });
    expect({ text, isRejected: rejections > 0 }).toEqual({ text, isRejected: true });
  }
});
