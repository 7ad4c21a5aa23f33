import { describe, expect, it, test } from 'vitest';
import { formatToolActivity, getActivityLine } from '../../../../src/index.ts';

describe('the activity of a call', () => {
  test.each([
    [{ name: 'active_file', arguments: {} }, 'reading: [current file]'],
    [{ name: 'active_file', arguments: { path: 'a' } }, 'reading: [current file]'],
    [{ name: 'active_file' }, 'reading: [current file]'],
    [{ name: 'read', arguments: { path: 'file.md' } }, 'reading: file.md'],
    [{ name: 'read', args: { path: 'file.md' } }, 'reading: file.md'],
    [{ name: 'read' }, 'reading: [file]'],
    [{ name: 'read', arguments: { path: '' } }, 'reading: [file]'],
    [{ name: 'read', arguments: { path: 7 } }, 'reading: [file]'],
    [{ name: 'list', arguments: { prefix: 'docs/' } }, 'listing: docs/'],
    [{ name: 'list', arguments: {} }, 'listing: [all files]'],
    [{ name: 'list', arguments: { prefix: '' } }, 'listing: [all files]'],
    [{ name: 'write', arguments: { path: 'a' } }, 'editing: a'],
    [{ name: 'write', arguments: {} }, 'editing: [file]'],
    [{ name: 'append', arguments: { path: 'a' } }, 'editing: a'],
    [{ name: 'append' }, 'editing: [file]'],
    [{ name: 'line_edit', arguments: { path: 'a' } }, 'editing: a'],
    [{ name: 'line_edit', arguments: null }, 'editing: [file]'],
    [{ name: 'search', arguments: { path: 'a' } }, 'tool: search'],
  ])('shows %j as %s', (call, line) => {
    expect(formatToolActivity(call)).toBe(line);
    expect(getActivityLine({ role: 'assistant', content: '', tool_calls: [call] })).toBe(line);
  });
});

describe('the activity line of a message', () => {
  const read = { name: 'read', arguments: { path: 'a.md' } };
  const list = { name: 'list', arguments: {} };

  it('shows its first call', () => {
    expect(getActivityLine({ tool_calls: [read, list] })).toBe('reading: a.md');
    expect(getActivityLine({ tool_calls: [list, read] })).toBe('listing: [all files]');
  });

  test.each([
    ['no list', {}],
    ['an empty list', { tool_calls: [] }],
    ['null', { tool_calls: null }],
    ['no list of calls', { tool_calls: { name: 'read' } }],
    ['something that is not a call', { tool_calls: [1] }],
    ['a call without a name', { tool_calls: [{ arguments: {} }] }],
  ])('is null for %s', (_what, message) => {
    expect(getActivityLine(message)).toBeNull();
  });

  it('is derived and ignores stored lines', () => {
    expect(getActivityLine({ activityLine: 'reading: b.md' })).toBeNull();
    expect(getActivityLine({ activityLine: 'reading: b.md', tool_calls: [read] })).toBe('reading: a.md');
  });

  it('reads old keys and calls of an OpenAI record', () => {
    expect(getActivityLine({ toolCalls: [{ name: 'read', args: { path: 'a.md' } }] })).toBe('reading: a.md');
    const call = { id: '1', type: 'function', function: { name: 'read', arguments: '{"path":"a.md"}' } };
    expect(getActivityLine({ tool_calls: [call] })).toBe('reading: a.md');
    const cut = { ...call, function: { ...call.function, arguments: '{"pa' } };
    expect(getActivityLine({ tool_calls: [cut] })).toBe('reading: [file]');
  });
});
