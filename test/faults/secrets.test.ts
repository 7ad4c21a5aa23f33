/**
 * F117: the content of a log is in the records and nowhere else. Plants secrets everywhere in a log, its broken lines, the environment and
 * the configuration, and searches everything that a run prints and writes for them.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { formats } from '../../transforms/formats/index.ts';
import { buildLogs, entryLine, TOOL } from '../support/build-logs.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';

/** All text files below a folder. */
const textsBelow = (folder: string): readonly (readonly [string, string])[] =>
  (readdirSync(folder, { recursive: true, encoding: 'utf8' }) as string[])
    .filter((file) => /\.(?:jsonl?|csv)$/.test(file))
    .map((file) => [file, readFileSync(join(folder, file), 'utf8')] as const);

faultTest(
  'F117',
  'planted secrets are only in the records: in no log, report, ledger or manifest',
  {},
  async () => {
    const secret = (place: string): string => `CANARY-${place}-s3cr3t`;
    const call = (args: string): object => ({
      id: 'a',
      type: 'function',
      function: { name: 'f', arguments: args },
    });
    const messages = [
      { role: 'system', content: secret('system') },
      { role: 'user', content: secret('user'), [secret('key')]: secret('value') },
      {
        role: 'assistant',
        content: secret('text'),
        tool_calls: [call(`{"a":"${secret('args')}"}`), call(secret('broken-args')), {}],
      },
      { role: 'tool', tool_call_id: 'a', content: `{"error":"${secret('result')}"}` },
      { role: 'tool', tool_call_id: 'z', content: secret('orphan') },
      {
        role: 'assistant',
        content: [{ type: secret('part'), text: secret('part-text') }],
        function_call: { name: 'f', arguments: secret('legacy') },
      },
    ];
    const tool = {
      ...TOOL,
      function: { name: 'f', description: secret('tool'), parameters: secret('parameters') },
    };
    const line = entryLine({
      messages,
      tools: [tool],
      reply: { role: 'assistant', content: secret('reply') },
    });
    const bad = [
      line.slice(0, -20),
      line.replace('"timestamp":"', `"timestamp":"${secret('stamp')}`),
      line.replace('"session_id":"s"', `"session_id":{"a":"${secret('id')}"}`),
      line.replace('"messages":[', `"messages":["${secret('message')}",`),
      line.replace('"tools":[', `"tools":["${secret('tools')}",`),
      `{"a":"${secret('no-entry')}"} // ${secret('comment')}`,
      secret('no-json'),
      `["${secret('array')}"]`,
    ];
    const log = [...bad, line, line].join('\n');
    process.env.TURNMILL_TEST_SECRET = secret('env');
    let seen = 0;
    for (const { name: format } of formats) {
      const { out, stderr, findings } = await buildLogs({ files: { 's.jsonl': log, 't.jsonl': line } }, [
        '--format',
        format,
        '--log-level',
        'debug',
      ]);
      seen += findings.length;
      expect(stderr).not.toContain('CANARY');
      const reports = textsBelow(out).filter(([file]) => !file.startsWith('data/'));
      expect(reports.map(([file]) => file)).toContain('reports/integrity.jsonl');
      for (const [file, text] of reports) expect([file, text.includes('CANARY')]).toEqual([file, false]);
      if (format !== 'chat') continue;
      const logs = join(out, '../logs/s.jsonl');
      expect((await turnmill(['check', logs, '--on-reject', 'fail'])).stderr).not.toContain('CANARY');
      for (let n = 1; n <= bad.length + 1; n++) {
        const { stdout, stderr: errors } = await turnmill(['explain', `${logs}:${n}`]);
        expect([n, stdout.toString() + errors]).toEqual([n, expect.not.stringContaining('CANARY')]);
      }
    }
    delete process.env.TURNMILL_TEST_SECRET;
    expect(seen).toBeGreaterThan(20);
  },
);

faultTest('F117', 'a rejected configuration file is not quoted', {}, async () => {
  const path = join(temporaryFolder(), 'c.json');
  for (const text of ['{"format": CANARY}', '"CANARY', '{"limit": "CANARY"}', 'CANARY']) {
    writeFileSync(path, text);
    const { status, stderr } = await turnmill(['check', 'x', '--config', path]);
    expect([status, stderr]).toEqual([78, expect.not.stringContaining('CANARY')]);
  }
});
