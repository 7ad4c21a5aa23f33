/** The second search for secrets finds what `--redact` finds. */
import { describe, expect, test } from 'vitest';
import { secretsIn } from '../../../src/verify/secrets.ts';
import { redactBytes } from '../../../transforms/redaction/redact-bytes.ts';
import { RULES } from '../../../transforms/redaction/rules.ts';
import { SecretScan } from '../../../transforms/redaction/scan.ts';
import { planted } from '../../transforms/redaction/plant.ts';

const scan = new SecretScan(RULES);
const found = (text: string): string[] => [...secretsIn(text, RULES)].map(({ rule }) => rule);

function recordOf(text: string): string {
  const inner = JSON.stringify({ text: `see\n${text}\nend` });
  return JSON.stringify({ messages: [{ content: `a "${text}"` }, { tool_calls: [{ arguments: inner }] }] });
}

describe('secretsIn', () => {
  for (const { rule, value, before = '', after = '' } of planted()) {
    test(`finds ${rule} (${value.slice(0, 6)}...), and nothing once it is redacted`, () => {
      const record = recordOf(`${before}${value.replaceAll('\\n', '\n')}${after}`);
      expect(found(record).filter((name) => name === rule).length).toBe(2);
      const { bytes } = redactBytes(Buffer.from(record), scan, RULES, () => '<KIND:ABCDEFGHIJ>');
      expect(found(Buffer.from(bytes).toString('latin1'))).toEqual([]);
    });
  }

  test('finds nothing in text without secrets', () => {
    const text = `Bearer <SECRET:K7Q2M4XN3A> ghp_${'x'.repeat(36)} git@github.com:a/b token: getToken() 4539 1488 0343 6468`;
    expect(found(recordOf(text))).toEqual([]);
  });
});
