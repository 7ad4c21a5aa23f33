// A window that was opened and closed again: the log holds the title request and nothing else.

import { gooseTitle } from '../goose.mjs';
import { openSession } from '../proxy.mjs';
import { moment } from '../stamps.mjs';
import { logFile } from '../text.mjs';

const id = 'c8b7e5a2-0f94-4d1b-9e36-64a1d7f20c39';

/** The log of this session. */
export function scratch() {
  const session = openSession({
    id,
    start: moment('2026-01-14T08:16:20.112Z'),
    tools: [],
    model: 'gpt-4.1-mini-2025-04-14',
  });
  session.log(
    { role: 'assistant', content: 'Rename holiday photos' },
    gooseTitle('rename my holiday photos by date taken'),
  );
  return {
    path: `2026-01-14/scratch-${id}.jsonl`,
    bytes: Buffer.from(logFile(session.lines())),
  };
}
