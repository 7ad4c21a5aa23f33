/**
 * Golden logs with one name or text changed so that it is of no known form: no record may have the unknown name, and
 * records differ from those of the golden log only if something was rejected or reported.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/index.ts';
import { temporaryFolder } from '../support/folder.ts';

const folder = resolve(import.meta.dirname, '../goldens');
/** Every how many goldens are tried; all of them with TURNMILL_LONG. */
const STEP = process.env.TURNMILL_LONG === undefined ? 4 : 1;

/** Not yet rejected: events of OpenHands with another role inside, text parts of another type in streams. */
const GAPS: ReadonlySet<string> = new Set(['a role openhands-events']);

const CHANGES: readonly (readonly [string, RegExp, string])[] = [
  ['a role', /"role": ?"(?:user|assistant|tool|system)"/g, '"role":"spy"'],
  ['a text that is an object', /"content": ?("(?:[^"\\]|\\.)*")/g, '"content":{"spy":$1}'],
  ['the type of a text', /"type": ?"(?:text|input_text|output_text)"/g, '"type":"spy"'],
];

interface Golden {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly settings: object;
}

/** Goldens of one file of JSON, which can be changed as text. */
const goldens = readdirSync(folder).flatMap((name): Golden[] => {
  const files = readdirSync(join(folder, name, 'logs'));
  const [file = ''] = files;
  if (files.length > 1 || !/\.(?:jsonl|json|traj)$/.test(file)) return [];
  const { settings = {} } = JSON.parse(readFileSync(join(folder, name, 'expected.json'), 'utf8'));
  return [{ name, file, text: readFileSync(join(folder, name, 'logs', file), 'utf8'), settings }];
});

async function built({ file, settings }: Golden, text: string) {
  const base = temporaryFolder();
  mkdirSync(join(base, 'logs'), { recursive: true });
  writeFileSync(join(base, 'logs', file), text);
  const out = join(base, 'out');
  const more = { groupBy: 'none', workers: 1, allowEmpty: true } as const;
  await build({ inputs: [join(base, 'logs')], out, ...more, ...settings });
  const shard = join(out, 'data/conversations-00000.jsonl');
  const { fates, findings } = JSON.parse(readFileSync(join(out, 'reports/summary.json'), 'utf8'));
  const isReported = [...Object.keys(fates), ...Object.keys(findings)].some((key) =>
    /^rejected:|^unknown-speaker$|^unknown-content$|^content-not-text$/.test(key),
  );
  return { records: existsSync(shard) ? readFileSync(shard, 'utf8') : '', isReported };
}

/** The text with the match of this number changed. */
function changed(text: string, pattern: RegExp, to: string, number: number): string {
  let seen = 0;
  return text.replace(pattern, (match, inner) => (seen++ === number ? to.replace('$1', inner) : match));
}

describe.each(CHANGES)('%s', (what, pattern, to) => {
  // the dialect messages copies parts of any type
  const isCopied = (name: string): boolean => to.startsWith('"type"') && name.startsWith('messages-');
  const able = goldens
    .filter(
      ({ name, text }) => text.match(pattern) !== null && !isCopied(name) && !GAPS.has(`${what} ${name}`),
    )
    .filter((_, i) => i % STEP === 0);

  it.each(able.map((golden) => [golden.name, golden] as const))('in %s', async (_name, golden) => {
    const before = await built(golden, golden.text);
    const count = golden.text.match(pattern)?.length ?? 0;
    for (const number of new Set([0, count >> 1, count - 1])) {
      const { records, isReported } = await built(golden, changed(golden.text, pattern, to, number));
      if (!isReported) expect(records, `match ${number}`).toBe(before.records);
      if (!isReported) expect(records).not.toContain('"role":"spy"');
    }
  });
});
