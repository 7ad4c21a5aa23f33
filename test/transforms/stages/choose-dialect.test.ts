import { expect, it } from 'vitest';
import { createPlainScanner } from '../../../transforms/json/plain-scanner.ts';
import { DialectChooser } from '../../../transforms/stages/choose-dialect.ts';
import { lineOf } from '../log-lines.ts';

/** Why a source is refused that consists of one object. */
function refusalOf(object: object): string | undefined {
  const chooser = new DialectChooser(createPlainScanner(), []);
  expect(chooser.choose(lineOf(JSON.stringify(object)))).toBe('held');
  return [...chooser.refuse()].at(-1)?.detail;
}

it.each([
  { id: 1, name: 'x' },
  { type: 'module', version: '1', name: 'x' },
  { timestamp: 't', message: 'started', status: 'ok', source: 'web' },
])('%j resembles no dialect, because many programs write such keys', (object) => {
  const keys = Object.keys(object).join(', ');
  expect(refusalOf(object)).toBe(`no dialect has objects with the keys ${keys}`);
});

it.each([
  [{ type: 'x', payload: 1 }, 'codex'],
  [{ payload: 1 }, 'codex, without type'],
  [{ type: 'user', uuid: 'u', text: 'a' }, 'claude-code, without sessionId and message'],
  [{ custom_id: 'a' }, 'batches, without response'],
])('%j resembles the dialect that has most of its keys', (object, near) => {
  expect(refusalOf(object)).toContain(`; nearest: ${near}`);
});
