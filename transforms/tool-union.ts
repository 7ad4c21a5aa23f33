/**
 * The tool definitions of a session's entries, in order, each distinct one once (a definition without a name each
 * time it occurs: conversion.md §3.8). What came after the snapshot does not count, until a later one is chosen.
 */
import type { ToolCounts, ToolDefinition } from './element.ts';
import { decode } from './json/utf8.ts';

export interface ToolUnion {
  /** The definitions of the next entry. The same array again costs next to nothing. */
  add(definitions: readonly ToolDefinition[]): void;
  /** The entry added last is the snapshot for now. */
  commit(): void;
  /** The distinct definitions up to and including the snapshot. Two may still share a name. */
  definitions(): readonly ToolDefinition[];
  counts(): ToolCounts;
  reset(): void;
}

export function createToolUnion(): ToolUnion {
  const textsByName = new Map<string, Set<string>>();
  let distinct: ToolDefinition[] = [];
  let last: readonly ToolDefinition[] | undefined;
  let lastNameless: readonly ToolDefinition[] = [];
  let seen = 0;
  let committedSeen = 0;
  let committedKept = 0;

  function isNew({ name, bytes }: ToolDefinition): boolean {
    if (name === undefined) return true;
    const text = decode(bytes);
    const texts = textsByName.get(name);
    if (texts === undefined) textsByName.set(name, new Set([text]));
    else if (texts.has(text)) return false;
    else texts.add(text);
    return true;
  }

  return {
    add(definitions) {
      seen += definitions.length;
      const again = definitions === last;
      if (!again) {
        last = definitions;
        lastNameless = definitions.filter((definition) => definition.name === undefined);
      }
      // one by one: a spread of a hundred thousand definitions overflows the stack
      for (const definition of again ? lastNameless : definitions.filter(isNew)) distinct.push(definition);
    },
    commit() {
      committedSeen = seen;
      committedKept = distinct.length;
    },
    definitions: () => distinct.slice(0, committedKept),
    counts: () => ({
      seen: committedSeen,
      kept: committedKept,
      duplicateSame: committedSeen - committedKept,
      duplicateConflict: 0,
    }),
    reset() {
      textsByName.clear();
      distinct = [];
      last = undefined;
      seen = committedSeen = committedKept = 0;
    },
  };
}
