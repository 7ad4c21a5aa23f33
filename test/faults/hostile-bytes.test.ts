/**
 * Misleading bytes in the log of each client, through the built command: numbers, keys and halves of characters stay as they are, line ends
 * and byte order marks change nothing, a damaged line is rejected alone, and nothing ends the run.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildLog } from '../support/build-events.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { temporaryFolder } from '../support/folder.ts';
import { turnLines, turnLogs } from '../support/turn-logs.ts';

const ODD_ARGS =
  '{"n":123456789012345678901234567890,"f":1e400,"z":-0,"g":1.10,"k":1,"k":2,"\\ud800":"\\udfff","__proto__":{}}';
const DEEP_ARGS = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;

const TEXT_ARGS = JSON.stringify('{"a": 1.0}');
/** Clients whose arguments are a text in any case. */
const HAVE_TEXT: ReadonlySet<string> = new Set(['codex', 'openhands', 'sts', 'responses']);

/** Their lines are known only by what comes before them, so none is taken out of the rest of another. */
const KNOWN_BY_HEAD: ReadonlySet<string> = new Set(['goose', 'opencode']);

const logOf = (lines: readonly string[], end = '\n'): string => lines.map((line) => `${line}${end}`).join('');
const sumOf = (fates: Readonly<Record<string, number>>): number =>
  Object.values(fates).reduce((sum, n) => sum + n, 0);

/** The log with something in front of its second line. */
const inFront = (lines: readonly string[], what: string): string =>
  logOf(lines.map((line, i) => (i === 1 ? `${what}${line}` : line)));

describe.each(turnLogs)('%s', (name) => {
  const lines = turnLines(name);

  it('huge numbers, repeated keys and lone surrogates stay in arguments, byte for byte', async () => {
    const { status, args } = await buildLog(logOf(turnLines(name, { args: ODD_ARGS, result: '"\\udc00R"' })));
    expect([status, new Set(args)]).toEqual([0, new Set([ODD_ARGS])]);
  });

  it('arguments that are not an object are kept', async () => {
    const { status, args } = await buildLog(logOf(turnLines(name, { args: '[1,2.0]' })));
    expect([status, new Set(args)]).toEqual([0, new Set(['[1,2.0]'])]);
  });

  it('arguments that are a text with JSON are that JSON', async () => {
    const { args } = await buildLog(logOf(turnLines(name, { args: TEXT_ARGS })));
    expect(new Set(args)).toEqual(new Set([HAVE_TEXT.has(name) ? TEXT_ARGS : JSON.parse(TEXT_ARGS)]));
  });

  it('arguments of a hundred thousand levels: too deep, or kept as the text that they are', async () => {
    const { status, fates, args } = await buildLog(logOf(turnLines(name, { args: DEEP_ARGS })));
    const deep = fates['rejected:too-deep'] ?? 0;
    expect([status, new Set(args)]).toEqual(deep > 0 ? [3, new Set()] : [0, new Set([DEEP_ARGS])]);
    expect(sumOf(fates)).toBe(lines.length);
  });

  it('CRLF, a byte order mark, blank lines: the same records', async () => {
    const { records } = await buildLog(logOf(lines));
    for (const log of [logOf(lines, '\r\n'), `\ufeff${logOf(lines)}`, logOf(lines, '\n\n \t\n')])
      expect(await buildLog(log)).toMatchObject({ status: 0, records });
  });

  it('a line of NULs or of another program is rejected alone', async () => {
    const { records } = await buildLog(logOf(lines));
    for (const what of ['\0'.repeat(64), 'Traceback (most recent call last):'])
      for (const log of [`${what}\n${logOf(lines)}`, inFront(lines, `${what}\n`), `${logOf(lines)}${what}`]) {
        const { status, records: found, fates } = await buildLog(log);
        expect([status, found, fates['rejected:invalid-json']]).toEqual([3, records, 1]);
        expect(sumOf(fates)).toBe(lines.length + 1);
      }
  });

  it('invalid UTF-8 in the result rejects its line and no other', async () => {
    const bytes = Buffer.from(logOf(turnLines(name, { result: '"R@"' })));
    const bad = bytes.map((byte) => (byte === '@'.charCodeAt(0) ? 0xff : byte));
    const { status, fates, records } = await buildLog(bad);
    expect([status, fates['rejected:invalid-utf8'], sumOf(fates)]).toEqual([3, 1, lines.length]);
    expect(JSON.stringify(records)).not.toContain('R');
  });

  it('a line that was cut before the next one was appended is rejected, alone if the next is known', async () => {
    const torn = inFront(lines, (lines[1] as string).slice(0, -9));
    const { status, fates, records } = await buildLog(torn, ['--allow-empty']);
    const counts = [status, fates['rejected:invalid-json'], sumOf(fates)];
    const whole = (await buildLog(logOf(lines))).records;
    if (KNOWN_BY_HEAD.has(name)) expect(counts).toEqual([3, 1, lines.length]);
    else expect([counts, records]).toEqual([[3, 1, lines.length + 1], whole]);
  });

  it('an update of a log that was cut in a line gives what a full build gives', async () => {
    const folder = temporaryFolder();
    const [logs, out, full] = ['logs', 'out', 'full'].map((part) => join(folder, part)) as [
      string,
      string,
      string,
    ];
    mkdirSync(logs);
    const whole = logOf(lines);
    const args = ['--group-by', 'none', '--allow-empty'];
    writeFileSync(join(logs, 'a.jsonl'), whole.slice(0, -25));
    expect((await turnmill(['build', logs, '--out', out, ...args])).status).toBe(0);
    writeFileSync(join(logs, 'a.jsonl'), whole);
    expect((await turnmill(['build', logs, '--update', out, ...args])).status).toBe(0);
    expect((await turnmill(['build', logs, '--out', full, ...args])).status).toBe(0);
    for (const file of ['data/conversations-00000.jsonl', 'ledger/sources.jsonl', 'ledger/sessions.jsonl'])
      expect(readFileSync(join(out, file), 'utf8')).toBe(readFileSync(join(full, file), 'utf8'));
    expect((await turnmill(['verify', out])).status).toBe(0);
  });
});
