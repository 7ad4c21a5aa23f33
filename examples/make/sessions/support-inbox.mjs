// An export: one JSON document, an array of entries, indented. Stamps in milliseconds as numbers, tool
// definitions without a `function` object, a request whose caller hung up (`"response": null`).

import { openSession } from '../proxy.mjs';
import { epochMillis, moment } from '../stamps.mjs';
import { integer, listOf, oneOf, params, string, text } from '../text.mjs';

const id = 'a6f0c3d8-17b2-4e95-8c64-2fd01e9b57a3';
const start = moment('2026-01-14T15:02:47.360Z');

const flat = (name, description, parameters) => ({
  type: 'function',
  name,
  description,
  parameters,
});

const tools = [
  flat(
    'inbox_search',
    'Tickets that match, newest first.',
    params({ query: [string, 'Words'], status: [oneOf('open', 'waiting', 'closed'), 'Status'] }, ['query']),
  ),
  flat(
    'ticket_read',
    'One ticket with all its messages.',
    params({ ticket: [integer, 'Number'] }, ['ticket']),
  ),
  flat(
    'ticket_tag',
    'Set the tags of a ticket.',
    params({ ticket: [integer, 'Number'], tags: [listOf(string), 'All tags'] }, ['ticket', 'tags']),
  ),
  flat(
    'ticket_draft',
    'Save a draft answer; a person sends it.',
    params({ ticket: [integer, 'Number'], body: [string, 'The text'] }, ['ticket', 'body']),
  ),
];

const thread = text(
  'From: Zoë Brückner <zoe@example.org>',
  'Date: Wed, 14 Jan 2026 14:39:02 +0100',
  'Subject: Export has "broken" letters',
  '',
  'Hi, since the update my CSV shows "MÃ¼ller" where it should say "Müller".',
  'I open it in a spreadsheet on Windows. Version 8.4.1.',
);

const draft = text(
  'Hello Zoë,',
  '',
  'thank you for the report. From 8.4 on the export is UTF-8 without a byte order mark, and your spreadsheet reads it as Windows-1252. Until the fix in 8.4.2, please choose "UTF-8" in the import dialog.',
  '',
  'Kind regards,',
  'the support team',
);

/** The log of this session. */
export function supportInbox() {
  const session = openSession({
    id,
    start,
    tools,
    stamp: epochMillis,
    model: 'gpt-4.1-mini-2025-04-14',
    system: {
      role: 'system',
      content:
        'You sort the support inbox. Tag tickets, prepare drafts, never send. Tags: bug, how-to, billing, encoding, urgent.',
    },
  });
  session.user([{ type: 'text', text: 'Anything new about broken characters in exports?' }]);
  session.callTools(null, [
    [
      'inbox_search',
      { query: 'export characters', status: 'open' },
      '[{"ticket":20417,"subject":"Export has \\"broken\\" letters","from":"Zoë Brückner"}]',
    ],
  ]);
  session.log(undefined, { response: null, takes: 31 });
  session.callTools(null, [['ticket_read', { ticket: 20417 }, thread]]);
  session.callTools('Classic encoding mix-up. I tag it and prepare an answer.', [
    ['ticket_tag', { ticket: 20417, tags: ['bug', 'encoding'] }, '{"ok":true}'],
    ['ticket_draft', { ticket: 20417, body: draft }, '{"ok":true,"draft":"d-5521"}'],
  ]);
  session.answer(
    'One: **#20417** from Zoë Brückner. Her spreadsheet reads our UTF-8 file as Windows-1252. Tagged `bug`, `encoding`; the draft d-5521 waits for you.',
  );
  return {
    path: `2026-01-14/support-inbox-${id}.json`,
    bytes: Buffer.from(`${JSON.stringify(session.entries, null, 2)}\n`),
  };
}
