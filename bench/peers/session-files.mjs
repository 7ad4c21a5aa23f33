/**
 * Shared by the Node peers: lists the files of a folder in sorted order, and folds the entries of a session into one record. Applies only
 * these rules: the last entry with the most messages wins, its reply is appended, developer becomes system, tools are the union by name
 * (the first one wins).
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Lists the paths of all session files in `directory` and its subfolders, sorted. */
export const sessionFiles = (directory) =>
  readdirSync(directory, { recursive: true })
    .filter((path) => path.endsWith('.jsonl') || path.endsWith('.jsonl.gz'))
    .sort()
    .map((path) => join(directory, path));

/** Folds the entries of a session, added one by one. `record()` returns the output line, or undefined without entries. */
export const foldSession = () => {
  const tools = new Map();
  let best;
  let most = -1;
  return {
    add(entry) {
      for (const tool of entry.request.tools ?? []) {
        const definition = tool.function ?? tool;
        if (!tools.has(definition.name)) tools.set(definition.name, definition);
      }
      if (entry.request.messages.length < most) return;
      most = entry.request.messages.length;
      best = entry;
    },
    record() {
      if (best === undefined) return undefined;
      const reply = best.response?.choices?.[0]?.message;
      const all = reply === undefined ? best.request.messages : [...best.request.messages, reply];
      const messages = all.map((message) =>
        message.role === 'developer' ? { ...message, role: 'system' } : message,
      );
      return `${JSON.stringify({ messages, tools: [...tools.values()] })}\n`;
    },
  };
};
