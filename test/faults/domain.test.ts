/**
 * F181 to F186: odd sessions as real logs have them. Checks which entry becomes the record, which tools it keeps, and how calls without
 * results, unknown roles, odd contents and empty replies are handled: by a named rule, counted, never merged silently.
 */
import { describe, expect } from 'vitest';
import { buildLogs, entryLine, REPLY, type Sums, USER } from '../support/build-logs.ts';
import { faultTest } from '../support/faults.ts';

const message = (content: string, role = 'user'): object => ({ role, content });
const log = (...entries: readonly Parameters<typeof entryLine>[0][]): string =>
  entries.map((parts, i) => entryLine({ at: i + 1, ...parts })).join('\n');
const one = (parts: Parameters<typeof entryLine>[0]): { files: Record<string, string> } => ({
  files: { 's.jsonl': entryLine(parts) },
});
const messagesIn = (record: string | undefined): { role: string; content: unknown; tool_calls?: unknown }[] =>
  JSON.parse(record ?? '').messages;
const texts = (record: string | undefined): unknown[] => messagesIn(record).map(({ content }) => content);

interface Choice {
  readonly log: string;
  readonly chosen: readonly string[];
  readonly fates: Sums['fates'];
  readonly findings: Sums['findings'];
}

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((text) => message(text)) as [object, object, object, object];
const choices: Readonly<Record<string, Choice>> = {
  'the last entry shrinks': {
    log: log({ messages: [a, b, c] }, { messages: [a] }),
    chosen: ['a', 'b', 'c', 'hi'],
    fates: { snapshot: 1, truncated: 1 },
    findings: { 'role-sequence': 1, truncated: 1 },
  },
  'two maxima: the later one': {
    log: log({ messages: [a, b] }, { messages: [a] }, { messages: [c, d] }, { messages: [c] }),
    chosen: ['c', 'd', 'hi'],
    fates: { snapshot: 1, superseded: 2, truncated: 1 },
    findings: { 'role-sequence': 2, truncated: 1 },
  },
  'equal lengths, other content': {
    log: log({ messages: [a, b] }, { messages: [a, c] }),
    chosen: ['a', 'c', 'hi'],
    fates: { snapshot: 1, superseded: 1 },
    findings: {},
  },
  'a history that is not a continuation': {
    log: log({ messages: [a, message('x', 'assistant')] }, { messages: [b, c, d] }),
    chosen: ['b', 'c', 'd', 'hi'],
    fates: { snapshot: 1, superseded: 1 },
    findings: { 'role-sequence': 1 },
  },
};

describe('F181 which entry becomes the record', () => {
  for (const [kind, { log: text, chosen, fates, findings }] of Object.entries(choices)) {
    faultTest('F181', kind, {}, async () => {
      for (let again = 0; again < 2; again++) {
        const { status, sums, records } = await buildLogs({ files: { 's.jsonl': text } });
        expect([status, records.map(texts)]).toEqual([0, [chosen]]);
        expect(sums).toMatchObject({ fates, findings });
      }
    });
  }
});

describe('F182 ids and files', () => {
  const mixed = log({ id: 'p' }, { id: 'q' }, { id: 'p' });

  faultTest('F182', 'two ids in one file: nothing is merged', {}, async () => {
    const { status, stderr, sums, records, quarantine } = await buildLogs({ files: { 's.jsonl': mixed } });
    expect([status, records, sums.fates]).toEqual([3, [], { 'rejected:session-id-mismatch': 3 }]);
    expect(quarantine.map(({ error }) => error?.message)).toEqual(
      Array(3).fill('the source seems to hold 2 sessions: read it with --session-by id (line 2)'),
    );
    expect(stderr).toContain('\n  1 source seems to hold several sessions: add --session-by id\n');
  });

  faultTest(
    'F182',
    'interleaved, by id: a session that comes back is rejected whole, in every source',
    {},
    async () => {
      for (const input of [{ stdin: mixed }, { files: { 's.jsonl': mixed } }]) {
        const { status, sums } = await buildLogs(input, ['--session-by', 'run']);
        expect([status, sums.fates]).toEqual([3, { 'rejected:session-reopened': 2, snapshot: 1 }]);
      }
    },
  );

  faultTest('F182', 'one id in two files: two sessions, each with its source', {}, async () => {
    const files = {
      'x/s.jsonl': entryLine({ messages: [a] }),
      'y/s.jsonl': entryLine({ at: 2, messages: [a, b] }),
    };
    const { status, records } = await buildLogs({ files });
    expect([status, records.map(texts)]).toEqual([
      0,
      [
        ['a', 'hi'],
        ['a', 'b', 'hi'],
      ],
    ]);
  });
});

describe('F183 tools', () => {
  const tool = (name: unknown, parameters: unknown = { type: 'object', properties: {} }): object => ({
    type: 'function',
    function: { name, parameters },
  });

  faultTest('F183', 'the first definition of a name wins, and the others are counted', {}, async () => {
    const other = tool('f', { type: 'object', properties: { x: {} } });
    const text = log({ tools: [tool('f'), tool('f'), other] }, { tools: [tool('g')] });
    const { sums, records } = await buildLogs({ files: { 's.jsonl': text } });
    expect(sums.tools).toEqual({ seen: 4, kept: 2, 'duplicate-same': 1, 'duplicate-conflict': 1 });
    expect(JSON.parse(records[0] ?? '').tools).toEqual(
      [tool('f'), tool('g')].map((wrapped) => (wrapped as { function: object }).function),
    );
  });

  faultTest(
    'F183',
    'all tools without a usable name are kept; parameters that are not an object are reported',
    {},
    async () => {
      const tools = [
        tool(null),
        tool(null),
        tool(''),
        tool(1),
        { type: 'function' },
        tool('f', 'none'),
        tool('g', [1]),
      ];
      const { status, sums, records } = await buildLogs(one({ tools }));
      expect([status, sums.tools.kept, sums.findings['tool-parameters']]).toMatchObject([
        0,
        tools.length,
        expect.any(Number),
      ]);
      expect(JSON.parse(records[0] ?? '').tools).toHaveLength(tools.length);
    },
  );

  faultTest('F183', '100,000 tools', {}, async () => {
    const tools = Array.from({ length: 100_000 }, (_, i) => ({
      name: `f${i % 60_000}`,
      parameters: { v: i },
    }));
    const { sums } = await buildLogs(one({ tools }));
    expect(sums.tools).toEqual({ seen: 100_000, kept: 60_000, 'duplicate-conflict': 40_000 });
  });
});

const call = (id: unknown, args: unknown): object => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: args },
});
const calling = (...tool_calls: unknown[]): object => ({ role: 'assistant', content: null, tool_calls });
const result = (id: string, content: string): object => ({ role: 'tool', tool_call_id: id, content });

/** Members that are null are dropped by a rule. */
const withoutNulls = (message: object): object =>
  Object.fromEntries(Object.entries(message).filter(([, value]) => value !== null));

describe('F184 calls and results', () => {
  const cases: Readonly<Record<string, readonly [messages: readonly object[], findings: Sums['findings']]>> =
    {
      'a call without a result': [
        [USER, calling(call('a', '{}')), USER],
        { 'tool-result-missing': 1, 'protocol-open': 1 },
      ],
      'a result without a call': [[USER, result('z', 'x')], { 'tool-result-orphan': 1 }],
      'an id twice in a block: each result answers one': [
        [USER, calling(call('a', '{}'), call('a', '{"x":1}')), result('a', '1'), result('a', '2')],
        {},
      ],
      'an id again in a later block': [
        [USER, calling(call('a', '{}')), result('a', '1'), calling(call('a', '{"x":2}')), result('a', '2')],
        {},
      ],
    };
  for (const [kind, [messages, findings]] of Object.entries(cases)) {
    faultTest('F184', kind, {}, async () => {
      const { status, sums, records } = await buildLogs(one({ messages }));
      expect([status, sums.findings]).toEqual([0, findings]);
      expect(messagesIn(records[0])).toEqual([...messages, REPLY].map(withoutNulls));
    });
  }

  faultTest('F184', 'arguments that are not JSON, cut, empty or odd stay as they are', {}, async () => {
    const odd = [
      'not json',
      '{"a":',
      '',
      ' ',
      'null',
      '[1]',
      '"x"',
      '{"a":1}{"a":2}',
      '{"a":"\\ud800"}',
      "{'a': 1}",
    ];
    const messages = [
      USER,
      calling(...odd.map((args, i) => call(`c${i}`, args))),
      ...odd.map((_, i) => result(`c${i}`, 'ok')),
    ];
    const chat = await buildLogs(one({ messages }));
    const kept = messagesIn(chat.records[0])[1]?.tool_calls as { function: { arguments: string } }[];
    expect([chat.status, kept.map((call) => call.function.arguments)]).toEqual([0, odd]);
    const inline = await buildLogs(one({ messages }), ['--format', 'chat-inline']);
    expect(texts(inline.records[0])[1]).toContain('{"name": "f", "arguments": "not json"}');
  });

  faultTest('F184', 'arguments of 50 MB', { long: true }, async () => {
    const args = JSON.stringify({ text: 'é'.repeat(25_000_000) });
    for (const format of ['chat', 'chat-inline']) {
      const { status, records } = await buildLogs(
        one({ messages: [USER, calling(call('a', args)), result('a', '1')] }),
        ['--format', format],
      );
      expect([status, Buffer.byteLength(records[0] ?? '') > 50_000_000]).toEqual([0, true]);
    }
  });
});

describe('F185 roles and contents', () => {
  const KNOWN = [
    'null',
    '""',
    '[]',
    '[{"type":"text","text":"x"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]',
    '["x"]',
  ];
  const UNKNOWN = ['{}', '1', 'true', '[null]'];

  faultTest('F185', 'a content of an unknown form is rejected, unless it is to be kept', {}, async () => {
    for (const content of UNKNOWN) {
      const line = entryLine({ messages: '@' }).replace(
        '"@"',
        () => `[{"role":"user","content":${content}}]`,
      );
      const { status, quarantine } = await buildLogs({ files: { 's.jsonl': line } });
      expect([status, quarantine[0]?.reason]).toEqual([3, 'unread-text']);
    }
  });

  faultTest('F185', 'any role and any content is kept, byte for byte', {}, async () => {
    const contents = [...KNOWN, ...UNKNOWN];
    const roles = ['user', 'critic', 'USER', 'ipython', 'tool', '', ' ', '\u202e'];
    const messages = roles.flatMap((role) =>
      contents.map((content) => `{"role":${JSON.stringify(role)},"content":${content}}`),
    );
    const line = entryLine({ messages: '@' }).replace('"@"', () => `[${messages.join(',')}]`);
    const keep = ['--on-finding', 'unread-text=keep'];
    const { status, sums, records } = await buildLogs({ files: { 's.jsonl': line } }, keep);
    expect([status, sums.rewrites]).toEqual([0, { 'null-fields': roles.length }]);
    for (const message of messages) expect(records[0]).toContain(message.replace(',"content":null', ''));
  });

  faultTest('F185', 'an image of 100 MB is one part of one record', { long: true }, async () => {
    const url = `data:image/png;base64,${'A'.repeat(100_000_000)}`;
    const content = [
      { type: 'text', text: 'see' },
      { type: 'image_url', image_url: { url } },
    ];
    const log = one({ messages: [{ role: 'user', content }] });
    const { status, records } = await buildLogs(log, ['--max-part', '0']);
    expect([status, records[0]?.includes(url)]).toEqual([0, true]);
  });
});

describe('F186 replies', () => {
  const line = entryLine();
  const withResponse = (json: string | undefined): string =>
    line.replace(/,"response":.*$/, json === undefined ? '}' : `,"response":${json}}`);
  const none: readonly (string | undefined)[] = [
    ...[
      undefined,
      'null',
      '{}',
      '{"choices":[]}',
      '{"choices":null}',
      '{"choices":{}}',
      '{"choices":[null]}',
      '{"choices":[{}]}',
    ],
    ...[
      '{"error":{"message":"overloaded","code":529}}',
      '{"choices":[{"message":null}]}',
      '{"choices":[{"delta":{"content":"h"}}]}',
      '{"object":"chat.completion.chunk"}',
    ],
  ];

  faultTest(
    'F186',
    'a missing response, an error body or streamed deltas: a conversation without a reply, reported',
    {},
    async () => {
      const files = Object.fromEntries(none.map((json, i) => [`s${i}.jsonl`, withResponse(json)]));
      const { status, sums, records } = await buildLogs({ files });
      expect([status, sums.records, sums.findings['no-reply']]).toEqual([0, none.length, none.length]);
      for (const record of records) expect(messagesIn(record)).toEqual([USER]);
    },
  );

  faultTest('F186', 'the first of several choices is used', {}, async () => {
    const { records } = await buildLogs({
      files: {
        's.jsonl': withResponse(
          `{"choices":[{"message":${JSON.stringify(REPLY)}},{"message":{"role":"assistant","content":"other"}}]}`,
        ),
      },
    });
    expect(texts(records[0])).toEqual(['hello', 'hi']);
  });

  faultTest('F186', 'choices that are not objects reject the line', {}, async () => {
    const files = Object.fromEntries(
      ['"text"', '[]', '1', 'false'].map((json, i) => [`s${i}.jsonl`, withResponse(json)]),
    );
    const { status, sums } = await buildLogs({ files });
    expect([status, sums.fates]).toEqual([3, { 'rejected:bad-response': 4 }]);
  });
});
