/**
 * Generates event logs of coding agents: transcripts of Claude Code and rollouts of Codex, with the features of real ones: messages split
 * over several lines, results copied for display, events that repeat other lines, compactions. The same loop also writes the logs of calls
 * (call-logs.ts) and spans (span-log.ts).
 */

import { ResponsesLog, StreamDump } from './call-logs.ts';
import { javascriptStyle } from './json-style.ts';
import { type Client, Lines, type LogShape, type Piece } from './log-lines.ts';
import type { CorpusOrder, CorpusStats } from './order.ts';
import { seededRandom } from './random.ts';
import { nameSession } from './session.ts';
import type { EventKind } from './shapes.ts';
import type { CorpusSink } from './sinks.ts';
import { SpanLog } from './span-log.ts';
import { buildTextPools } from './text-pool.ts';

const DEFAULT_BYTES = 1_000_000_000;

const short: LogShape = {
  turns: [1, 2],
  callsPerTurn: [1, 4],
  textBytes: [60, 600],
  resultBytes: [100, 1_500],
  contextBytes: Number.POSITIVE_INFINITY,
};

const long: LogShape = {
  turns: [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  callsPerTurn: [1, 30],
  textBytes: [60, 3_000],
  resultBytes: [200, 16_000],
  contextBytes: 1_500_000,
};

/** A gateway session: a few rounds of calls. */
const calls: LogShape = { ...short, turns: [1, 3], callsPerTurn: [1, 3] };

/** A session of an agent that calls through a gateway: up to 50 calls, so that a line may repeat 100 KB of history. */
const manyCalls: LogShape = { ...short, turns: [1, 25], callsPerTurn: [1, 6] };

class ClaudeCode implements Client {
  readonly #lines: Lines;
  readonly #id: string;
  #uuid = 0;
  #message = 0;
  #call = 0;

  constructor(lines: Lines, id: string) {
    this.#lines = lines;
    this.#id = id;
  }

  begin(): void {
    this.#lines.put(
      '{"type":"file-history-snapshot","messageId":"f","snapshot":{},"isSnapshotUpdate":false}',
    );
  }

  question(): void {
    this.#put('user', '{"role":"user","content":', this.#lines.text(), '}');
  }

  calls(count: number): void {
    this.#message++;
    const first = this.#call;
    this.#block('{"type":"thinking","thinking":"","signature":', this.#lines.text('argument'), '}');
    this.#block('{"type":"text","text":', this.#lines.text(), '}');
    for (let i = 0; i < count; i++) {
      const id = `toolu_${this.#call++}`;
      this.#block(
        `{"type":"tool_use","id":"${id}","name":"Read","input":{"file_path":`,
        ['argument', 80],
        '}}',
      );
    }
    for (let i = 0; i < count; i++) {
      const result = this.#lines.result();
      const message = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_${first + i}","content":`;
      this.#line('user', [message, result, '}]}'], [',"toolUseResult":{"type":"text","file":', result, '}']);
      if (this.#lines.random.chance(0.1)) this.#put('progress', '{"type":"hook_progress"}');
    }
  }

  answer(): void {
    this.#message++;
    this.#block('{"type":"text","text":', this.#lines.text(), '}');
  }

  compact(): void {
    this.#lines.put(
      `{"type":"system","subtype":"compact_boundary","uuid":"u${this.#uuid++}","parentUuid":null,"sessionId":"${this.#id}"}`,
    );
    const summary: readonly Piece[] = ['{"role":"user","content":', this.#lines.text(), '}'];
    this.#line('user', summary, [',"isCompactSummary":true']);
  }

  #block(...block: readonly Piece[]): void {
    const head = `{"id":"msg_${this.#message}","type":"message","role":"assistant","model":"m","content":[`;
    this.#put(
      'assistant',
      head,
      ...block,
      '],"stop_reason":null,"usage":{"input_tokens":9,"output_tokens":4}}',
    );
  }

  #put(type: string, ...message: readonly Piece[]): void {
    this.#line(type, message, []);
  }

  #line(type: string, message: readonly Piece[], more: readonly Piece[]): void {
    const parent = this.#uuid === 0 ? 'null' : `"u${this.#uuid - 1}"`;
    const head = `{"parentUuid":${parent},"isSidechain":false,"userType":"external","cwd":"/home/ada/garden","sessionId":"${this.#id}","version":"2.1.62","type":"${type}","message":`;
    const tail = `,"uuid":"u${this.#uuid++}","timestamp":"2026-01-14T08:00:03.120Z"}`;
    this.#lines.put(head, ...message, ...more, tail);
  }
}

class Codex implements Client {
  readonly #lines: Lines;
  readonly #id: string;
  #call = 0;

  constructor(lines: Lines, id: string) {
    this.#lines = lines;
    this.#id = id;
  }

  begin(): void {
    const base: readonly Piece[] = ['"base_instructions":{"text":', this.#lines.text(), '}'];
    this.#put('session_meta', `{"id":"${this.#id}","cli_version":"0.120.0",`, ...base, '}');
    this.#put('turn_context', '{"cwd":"/home/ada/garden","model":"m","effort":"medium"}');
  }

  question(): void {
    const words = this.#lines.render(this.#lines.text());
    this.#item('{"type":"message","role":"user","content":[{"type":"input_text","text":', words, '}]}');
    this.#put('event_msg', '{"type":"user_message","message":', words, '}');
  }

  calls(count: number): void {
    const first = this.#call;
    this.#item(
      '{"type":"reasoning","summary":[],"content":null,"encrypted_content":',
      this.#lines.text('argument'),
      '}',
    );
    for (let i = 0; i < count; i++) {
      const id = `call_${this.#call++}`;
      this.#item(`{"type":"function_call","name":"shell","call_id":"${id}","arguments":"{}"}`);
    }
    for (let i = 0; i < count; i++) {
      const result = this.#lines.result();
      const id = `call_${first + i}`;
      this.#put('event_msg', `{"type":"exec_command_end","call_id":"${id}","stdout":`, result, '}');
      this.#item(`{"type":"function_call_output","call_id":"${id}","output":`, result, '}');
    }
  }

  answer(): void {
    const words = this.#lines.render(this.#lines.text());
    this.#put('event_msg', '{"type":"agent_message","message":', words, '}');
    this.#item('{"type":"message","role":"assistant","content":[{"type":"output_text","text":', words, '}]}');
  }

  compact(): void {
    this.#put('compacted', '{"message":', this.#lines.text(), '}');
  }

  #item(...payload: readonly Piece[]): void {
    this.#put('response_item', ...payload);
  }

  #put(type: string, ...payload: readonly Piece[]): void {
    this.#lines.put(`{"timestamp":"2026-02-03T10:00:09.000Z","type":"${type}","payload":`, ...payload, '}');
  }
}

const shapeOf = (kind: EventKind): LogShape => {
  const isLong = kind.endsWith('-long');
  if (kind.startsWith('claude-code') || kind.startsWith('codex')) return isLong ? long : short;
  return isLong ? manyCalls : calls;
};

/** @param streams streams before this session, which the ids of its streams continue */
const clientOf = (kind: EventKind, lines: Lines, id: string, streams: number): Client => {
  if (kind.startsWith('responses')) return new ResponsesLog(lines, id);
  if (kind.startsWith('sse')) return new StreamDump(lines, streams);
  if (kind.startsWith('spans')) return new SpanLog(lines, id);
  return kind.startsWith('claude-code') ? new ClaudeCode(lines, id) : new Codex(lines, id);
};

/** Generates an event corpus. The statistics count conversations as `sessions`: one per log, plus one per compaction. */
export const generateEventLogs = (
  { kind, seed, bytes: wantedBytes = DEFAULT_BYTES }: CorpusOrder & { readonly kind: EventKind },
  sink: CorpusSink,
): CorpusStats => {
  const shape = shapeOf(kind);
  const pools = buildTextPools(javascriptStyle, seed);
  const sum = { bytes: 0, conversations: 0, lines: 0, longest: 0, conversation: 0 };
  for (let session = 0; sum.bytes < wantedBytes; session++) {
    const random = seededRandom([seed, kind, session]);
    const name = nameSession(session, random);
    const lines = new Lines(sink, pools, shape, random);
    const client = clientOf(kind, lines, name.sessionId, sum.conversations);
    sink.beginSession(name);
    client.begin();
    if (client.records === undefined) sum.conversations++;
    const turns = random.integer(...shape.turns);
    let since = 0; // bytes of the session before the current conversation
    for (let turn = 0; turn < turns && (turn === 0 || sum.bytes + lines.bytes < wantedBytes); turn++) {
      if (lines.bytes - since > shape.contextBytes) {
        sum.conversation = Math.max(sum.conversation, lines.bytes - since);
        client.compact();
        since = lines.bytes;
        sum.conversations++;
      }
      client.question();
      client.calls(random.integer(...shape.callsPerTurn));
      client.answer();
    }
    sink.endSession();
    sum.conversations += client.records ?? 0;
    sum.bytes += lines.bytes;
    sum.lines += lines.count;
    sum.longest = Math.max(sum.longest, lines.longest);
    sum.conversation = Math.max(sum.conversation, lines.bytes - since);
  }
  sink.close();
  return {
    ...{ kind, seed, bytes: sum.bytes, sessions: sum.conversations, entries: sum.lines },
    ...{ longestHistories: 0, distinctBytes: sum.bytes, longestLineBytes: sum.longest },
    longestConversationBytes: sum.conversation,
  };
};
