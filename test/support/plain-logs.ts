/** Well-formed session logs of a chosen size, the same for the same seed: for tests that need bulk without oddities. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface PlainLogs {
  readonly sessions: number;
  readonly entries: number;
  /** Characters of each message. */
  readonly messageChars: number;
  readonly seed: number;
}

/** A small linear generator of numbers from 0 to 1. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The lines of one session, oldest first. */
export function sessionLines(
  id: string,
  { entries, messageChars, seed }: Omit<PlainLogs, 'sessions'>,
): string[] {
  const random = randomFrom(seed);
  const text = (): string =>
    Array.from({ length: messageChars / 8 }, () => random().toString(36).slice(2, 10)).join('');
  const messages: object[] = [{ role: 'system', content: `You help. ${text()}` }];
  return Array.from({ length: entries }, (_, i) => {
    messages.push({ role: 'user', content: text() });
    const reply = { role: 'assistant', content: text() };
    const line = JSON.stringify({
      timestamp: new Date(Date.UTC(2026, 0, 13, 8, i)).toISOString(),
      session_id: id,
      request: {
        model: 'm',
        messages,
        tools: [{ type: 'function', function: { name: 'read', parameters: {} } }],
      },
      response: { choices: [{ index: 0, message: reply }] },
    });
    messages.push(reply);
    return line;
  });
}

/** Writes one file for each session below `root`, in two date folders. */
export function writePlainLogs(root: string, logs: PlainLogs): void {
  for (let n = 0; n < logs.sessions; n++) {
    const folder = join(root, n % 2 === 0 ? '2026-01-13' : '2026-01-14');
    const id = `job-${String(n).padStart(3, '0')}`;
    mkdirSync(folder, { recursive: true });
    const lines = sessionLines(id, { ...logs, seed: logs.seed * 1000 + n });
    writeFileSync(join(folder, `${id}.jsonl`), `${lines.join('\n')}\n`);
  }
}
