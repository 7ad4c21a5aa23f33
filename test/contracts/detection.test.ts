/** Runs every dialect's `detect` on the start of every example and golden log: exactly one recognises each. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../transforms/dialects/dialect.ts';
import { dialects } from '../../transforms/dialects/index.ts';
import { createPlainScanner } from '../../transforms/json/plain-scanner.ts';
import { DialectChooser } from '../../transforms/stages/choose-dialect.ts';
import { lineOf } from '../transforms/log-lines.ts';

const examples = resolve(import.meta.dirname, '../../examples/dialects');
const goldens = resolve(import.meta.dirname, '../goldens');

/** The JSON objects of a source, one for each line that the framer emits. */
function objectsOf(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8').trim();
  try {
    const document: unknown = JSON.parse(text);
    return (Array.isArray(document) ? document : [document]).map((one) => JSON.stringify(one));
  } catch {
    return text.split('\n');
  }
}

/** Members of the first object on a line; undefined if the object is cut off. */
function membersOf(json: string): readonly (readonly [string, unknown])[] | undefined {
  try {
    const [first = ''] = json.split(/(?<=\})\s*(?=\{)/);
    return Object.entries(JSON.parse(json.includes('}{') ? first : json) as object);
  } catch {
    return undefined;
  }
}

/** Names of the dialects that recognise the first object that any dialect recognises. */
function knowing(objects: readonly string[]): readonly string[] {
  for (const json of objects) {
    const members = membersOf(json);
    if (members === undefined) continue;
    const first = new Map(members.map(([key, value]) => [key, Buffer.from(JSON.stringify(value))]));
    const saysYes = ({ detect }: Dialect): boolean =>
      [true, 'yes'].includes(detect(first) as boolean | string);
    const names = dialects.filter(saysYes).map(({ name }) => name);
    if (names.length > 0) return names;
  }
  return [];
}

const ofDialect = readdirSync(examples).flatMap((file) => {
  const name = file.split('.')[0] as string;
  return /\.(?:jsonl|json|traj)$/.test(file) ? [[name, join(examples, file)] as const] : [];
});

describe('the example of a dialect', () => {
  it.each(ofDialect)('%s is recognised by no other dialect', (name, path) => {
    expect(knowing(objectsOf(path))).toEqual([name]);
  });

  it.each(ofDialect)('%s is chosen to read it', (name, path) => {
    const chooser = new DialectChooser(createPlainScanner(), []);
    const answers = objectsOf(path).map((json, i) => chooser.choose(lineOf(json, undefined, i + 1)));
    expect(answers.find((answer) => typeof answer === 'object')).toMatchObject({ name });
  });
});

describe('the golden logs', () => {
  const logs = readdirSync(goldens, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\/logs\/.*\.(?:jsonl|json|traj)$/.test(path),
  );

  it.each(logs)('%s is recognised by one dialect at most', (path) => {
    expect(knowing(objectsOf(join(goldens, path))).length).toBeLessThan(2);
  });

  it('are all recognised, except the foreign logs in strangers/ and one truncated event', () => {
    const unknown = logs.filter((path) => knowing(objectsOf(join(goldens, path))).length === 0);
    expect(unknown.filter((path) => !path.startsWith('strangers/'))).toEqual([
      'openhands-folder/logs/c1/events/event-00002-cc.json',
    ]);
  });
});

it('every dialect describes how it is recognised', () => {
  for (const { name, knownBy, marks = [] } of dialects)
    expect([name, knownBy !== undefined || marks.length > 0]).toEqual([name, true]);
});
