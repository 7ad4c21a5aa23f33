import { describe, expect, it } from 'vitest';
import type { Dialect, DialectReader, ReadElement } from '../../transforms/dialects/dialect.ts';
import { dialects } from '../../transforms/dialects/index.ts';
import { asArray, asBuffer } from '../transforms/bytes.ts';
import { entryJson, lineOf } from '../transforms/log-lines.ts';
import { describePlugIns } from './plug-ins.ts';
import { freeze, snapshot } from './samples.ts';

const ODD = [
  '{',
  '{}',
  '[1]',
  '{"a":tru}',
  'x',
  '{"timestamp":1}',
  '\u0000',
  '{"a":1}{"b":2}',
  ' {"request":{"messages":[1]}} ',
];
const LINES = [
  entryJson(),
  ...ODD,
  `${entryJson()} ${entryJson()}`,
  entryJson({ session_id: 7 }),
  entryJson(),
];

const TALK = '"messages":[{"role":"user","content":"a"}]';
/** A line that each dialect reads as an entry. */
const WHOLE: Readonly<Record<string, string>> = {
  batches: '{"custom_id":"a","body":{"messages":[]}}{"custom_id":"a","response":{"body":{"choices":[]}}}',
  anthropic: `{"request":{${TALK}},"response":{"content":[]}}`,
  'claude-code':
    '{"type":"user","sessionId":"s","uuid":"u","parentUuid":null,"message":{"role":"user","content":"a"}}',
  atif: '{"schema_version":"ATIF-v1.7","agent":{},"steps":[{"step_id":1,"source":"user","message":"a"}]}',
  astracodex: `{"meta":{},"settings":{},${TALK}}`,
  calls: `{${TALK},"completion":"b"}`,
  codex: '{"type":"response_item","payload":{"type":"message","role":"user","content":"a"}}',
  exchange: entryJson(),
  inspect: `{"status":"success","eval":{},"plan":{},"samples":[{"id":1,${TALK}}]}`,
  messages: '{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}',
  responses: '{"request":{"input":"a"},"response":{"output":[]}}',
  cline: '{"role":"user","content":"a","ts":1}',
  goose: '{"conversation":[{"role":"user","content":[{"type":"text","text":"a"}]}],"working_dir":"/"}',
  'gemini-cli': `{"sessionId":"s","projectHash":"h","startTime":"t","messages":[{"id":"1","type":"user","content":"a"}]}`,
  opencode: '{"info":{},"messages":[{"info":{"role":"user"},"parts":[{"type":"text","text":"a"}]}]}',
  openhands: '{"kind":"MessageEvent","source":"user","llm_message":{"role":"user","content":"a"}}',
  pi: '{"type":"session","version":3,"id":"s","cwd":"/"}{"type":"message","message":{"role":"user","content":"a"}}',
  runs: `{"info":{},${TALK},"trajectory_format":"f"}`,
  sts: '{"type":"session","harness":"h","id":"s"}{"type":"message","message":{"role":"user","content":"a"}}',
  spans:
    '{"name":"chat","attributes":{"gen_ai.operation.name":"chat","gen_ai.output.messages":"[{\\"role\\":\\"assistant\\",\\"parts\\":[{\\"type\\":\\"text\\",\\"content\\":\\"b\\"}]}]"}}',
  samples: `{${TALK},"expected":1}`,
  streams: '{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}',
};

/** Elements that a line yields, whether at once or at the end of its source. */
function elementsOf(reader: DialectReader, json: string): readonly ReadElement[] {
  return [...reader.read(lineOf(json)), ...(reader.end?.() ?? [])];
}

it.each(dialects.map(({ name }) => name))(
  '%s recognises only its own logs, and no other dialect recognises them',
  (name) => {
    const knows = (dialect: Dialect, json: string): boolean => {
      const [first = ''] = json.split(/(?<=\})(?=\{)/);
      const members = Object.entries(JSON.parse(first) as object);
      const answer = dialect.detect(
        new Map(members.map(([key, value]) => [key, asBuffer(JSON.stringify(value))])),
      );
      return answer === true || answer === 'yes';
    };
    for (const dialect of dialects) {
      for (const [other, json] of Object.entries(WHOLE)) {
        if (dialect.name === name || other === name)
          expect([dialect.name, other, knows(dialect, json)]).toEqual([
            dialect.name,
            other,
            dialect.name === other,
          ]);
      }
    }
  },
);

describe('dialects', () => {
  describePlugIns('dialects', dialects);

  describe.each(dialects.map((dialect) => [dialect.name, dialect] as const))('%s', (_name, dialect) => {
    it('detects without throwing, with the same answer each time', () => {
      const values = ['1', '{}', '[]', 'null', '"x"', '[{}]', '{"body":{"messages":[]}}', '{"content":[1]}'];
      for (const key of ['request', 'response', 'messages', 'content', 'conversations', 'meta', 'expected']) {
        for (const value of values) {
          for (const make of [asBuffer, asArray]) {
            const detected = dialect.detect(new Map([[key, make(value)]]));
            expect(dialect.detect(new Map([[key, make(value)]]))).toBe(detected);
          }
        }
      }
    });

    it('yields the same elements in two runs and does not change the line', () => {
      const [first, second] = [dialect.create(), dialect.create()];
      for (const make of [asBuffer, asArray]) {
        for (const json of LINES) {
          const line = freeze(lineOf(json, make));
          const before = snapshot(line);
          expect(snapshot(first.read(line))).toBe(snapshot(second.read(line)));
          expect(snapshot(line)).toBe(before);
        }
      }
    });

    it('yields entries that list what its logs never contain', () => {
      const read = (json: string): readonly { kind: string; lacks?: readonly string[] }[] =>
        elementsOf(dialect.create(), json) as never;
      const entry = read(WHOLE[dialect.name] as string).find(({ kind }) => kind === 'entry');
      expect(entry).toBeDefined();
      // the log of a client has no marks of loggers; dialects that fold say so by themselves
      const missing = (lacks: readonly string[] = []): readonly string[] =>
        lacks.filter((lack) => lack !== 'marks');
      expect(missing(entry?.lacks)).toEqual(missing(dialect.lacks));
    });

    it('yields at least one element for a line that is not blank, or at the end of its source', () => {
      for (const json of [...LINES, WHOLE[dialect.name] as string])
        expect(elementsOf(dialect.create(), json).length).toBeGreaterThan(0);
    });

    it('yields the same elements again after forget()', () => {
      const reader = dialect.create();
      const read = () => LINES.map((json) => snapshot(reader.read(lineOf(json))));
      const first = read();
      reader.forget();
      expect(read()).toEqual(first);
    });
  });
});
