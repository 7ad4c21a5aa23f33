/**
 * Reads every example and golden log of lines without its first line, or with a torn one: it is read in the same dialect
 * or rejected, but never in another dialect.
 */
import { describe, expect, it } from 'vitest';
import type { StreamElement } from '../../transforms/model/element.ts';
import { apply, defaultsOf } from '../../transforms/stage.ts';
import { parse } from '../../transforms/stages/parse.ts';
import { dialectLogs } from '../support/dialect-logs.ts';
import { lineOf } from '../transforms/log-lines.ts';

/** A log that has no other line with a message. */
const ALONE = 'cc-two-in-line/logs/S1.jsonl';
/** Logs whose other lines are, alone, also lines of another dialect, which reads the same messages. */
const READ_AS: ReadonlyMap<string, string> = new Map([
  ['mixed-api/logs/p.jsonl', 'anthropic'],
  ['responses-background/logs/log.jsonl', 'calls'],
]);

/** The dialect of a source with these lines; undefined if it is rejected. */
function dialectOf(lines: readonly string[]): string | undefined {
  const elements: StreamElement[] = lines.map((line, i) => lineOf(line, undefined, i + 1));
  const { origin } = lineOf('', undefined, lines.length + 1);
  elements.push({ kind: 'session-end', origin, last: true });
  const read = [...apply(parse.create(defaultsOf(parse.options)), elements)];
  return read.flatMap((element) => (element.kind === 'session-end' ? (element.dialect ?? []) : [])).at(-1);
}

const logs = Object.entries(dialectLogs()).flatMap(([path, { bytes }]) => {
  const lines = Buffer.from(bytes).toString().trimEnd().split('\n');
  return path.endsWith('.jsonl') && lines.length > 1 ? [[path, lines] as const] : [];
});

describe.each(logs)('%s', (path, [first = '', ...others]) => {
  const whole = dialectOf([first, ...others]);
  const expected = path === ALONE ? [undefined, whole] : [READ_AS.get(path) ?? whole];

  it.each([
    ['lost', []],
    ['torn', [first.slice(0, 25)]],
    ['torn in the middle', [first.slice(0, first.length / 2)]],
    ['torn at its end', [first.slice(0, -1)]],
    ['a NUL', ['\0']],
  ])('with its first line %s', (_name, before) => {
    expect(expected).toContain(dialectOf([...before, ...others]));
  });
});
