import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { refusedLines, sentenceOf } from '../../../src/cli/summary-sentence.ts';
import type { LedgerSums } from '../../../src/dataset/schema/reports.ts';
import type { RunSummary } from '../../../src/job/run.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from './small-logs.ts';

const summaryOf = (sums: Partial<LedgerSums>, rejections = 0): RunSummary =>
  ({
    sums: {
      sources: { read: 26 },
      sessions: { written: 32 },
      findings: {},
      formats: { openai: {} },
      ...sums,
    },
    rejections,
  }) as RunSummary;

describe('the sentence', () => {
  test('counts conversations and logs', () => {
    expect(sentenceOf(summaryOf({}))).toBe('32 conversations from 26 logs.');
    const one = { sources: { read: 1 }, sessions: { written: 1 } };
    expect(sentenceOf(summaryOf(one, 1))).toBe('1 conversation from 1 log; 1 rejection.');
    expect(sentenceOf(summaryOf({ sources: {}, sessions: {} }))).toBe('0 conversations from 0 logs.');
  });

  test('says what has no answer, what the consumer refuses, and what to type', () => {
    const sums = {
      findings: { 'no-answer': 2 },
      formats: { openai: { records: 32, 'consumer:reader-no-reasoning': 10 } },
    };
    expect(sentenceOf(summaryOf(sums))).toBe(
      '32 conversations from 26 logs; 2 have no answer; 10 have reasoning, which OpenAI refuses (--reasoning drop).',
    );
    expect(refusedLines(summaryOf(sums).sums)).toEqual(['10 with reasoning, by OpenAI (--reasoning drop)']);
  });

  test('names templates where the consumer is not known', () => {
    const formats = { chat: { records: 32, 'consumer:reader-role': 1 } };
    expect(sentenceOf(summaryOf({ formats }))).toBe(
      '32 conversations from 26 logs; 1 has a role that templates do not know, which a chat template refuses (--format trl rejects them, but writes function as tool).',
    );
  });

  test('names the most frequent reason and counts the others', () => {
    const formats = {
      trl: { records: 32, 'consumer:reader-role': 3 },
      openai: { records: 32, 'consumer:reader-end': 1, 'consumer:reader-no-reasoning': 2 },
    };
    expect(sentenceOf(summaryOf({ formats, findings: { 'no-answer': 4 } }))).toBe(
      '32 conversations from 26 logs; 3 have a role that templates do not know, which TRL refuses (--format trl rejects them, but writes function as tool); 2 more reasons below, at "refused".',
    );
    expect(refusedLines(summaryOf({ formats }).sums)).toHaveLength(3);
  });
});

describe('build --format openai', () => {
  const thinking = { role: 'assistant', content: 'b', reasoning_content: 'c' };
  const consumers = (out: string): unknown =>
    JSON.parse(readFileSync(join(out, 'reports/summary.json'), 'utf8')).formats.openai;

  test('counts what OpenAI refuses, in an update too, and verify counts it again', async () => {
    const folder = temporaryFolder();
    const logs = join(folder, 'logs');
    const out = join(folder, 'out');
    writeLog(logs, 'a.jsonl', [entry({ id: 'a', reply: thinking })]);
    writeLog(logs, 'b.jsonl', [entry({ id: 'b' })]);
    const first = await turnmill(['build', logs, '--update', out, '--format', 'openai']);
    expect(first.stderr).toMatch(
      /^turnmill: 2 conversations from 2 logs; 1 has reasoning, which OpenAI refuses \(--reasoning drop\)\.\n/,
    );
    expect(first.stderr).toContain('\n  refused    1 with reasoning, by OpenAI (--reasoning drop)\n');
    writeLog(logs, 'c.jsonl', [entry({ id: 'c', reply: thinking })]);
    const { stderr, status } = await turnmill(['build', logs, '--update', out, '--format', 'openai']);
    expect([status, stderr]).toEqual([0, expect.stringContaining('; 2 have reasoning, which OpenAI')]);
    expect(consumers(out)).toEqual({ records: 3, 'consumer:reader-no-reasoning': 2 });
    expect((await turnmill(['verify', out])).status).toBe(0);
    const manifest = join(out, 'manifest.json');
    const text = readFileSync(manifest, 'utf8');
    writeFileSync(manifest, text.replace(/"consumer:reader-no-reasoning": 2/, '"consumer:reader-end": 2'));
    const damaged = await turnmill(['verify', out]);
    expect(damaged.status).not.toBe(0);
    expect(damaged.stdout.toString() + damaged.stderr).toContain(
      "'consumer:reader-no-reasoning': expected 2",
    );
  });

  test('the remedy works, and check says the same', async () => {
    const log = writeLog(temporaryFolder(), 'a.jsonl', [entry({ reply: thinking })]);
    const args = ['check', log, '--format', 'openai'];
    expect((await turnmill(args)).stdout.toString()).toContain('1 has reasoning, which OpenAI refuses');
    expect((await turnmill([...args, '--reasoning', 'drop'])).stdout.toString()).toMatch(
      /^turnmill: 1 conversation from 1 log\.$/m,
    );
  });
});
