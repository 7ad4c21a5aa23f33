// A lost newline: two entries on one line. A request came back empty and was sent again; the agent
// keeps both answers. An extension is switched on late: new tools, and an old one defined anew.

import { developerExtension, gooseInfo, goosePrompt } from '../goose.mjs';
import { openSession } from '../proxy.mjs';
import { moment, utcMicros } from '../stamps.mjs';
import { integer, listOf, logFile, oneOf, params, string, text, tool } from '../text.mjs';

const id = 'e41a7d90-2c58-4f6b-b3d7-158c09ef62aa';
const start = moment('2026-01-14T10:20:31Z', 7450);

const shell = tool(
  'developer__shell',
  'Run a command and return what it prints.',
  params({ command: [string, 'The command line'] }, ['command']),
);

const earlyTools = [
  shell,
  tool(
    'developer__text_editor',
    'View or write a text file.',
    params(
      {
        command: [oneOf('view', 'write'), 'What to do'],
        path: [string, 'Absolute path'],
        file_text: [string, 'The whole text, for write'],
      },
      ['command', 'path'],
    ),
  ),
  tool(
    'platform__manage_extensions',
    'Switch an extension on or off.',
    params({ action: [oneOf('enable', 'disable'), 'Which'], name: [string, 'The extension'] }, [
      'action',
      'name',
    ]),
  ),
];

const lateTools = [
  tool(
    'developer__shell',
    'Run a command and return what it prints, at most 2,000 lines.',
    params({ command: [string, 'The command line'], cwd: [string, 'Where to run it'] }, ['command']),
  ),
  ...earlyTools.slice(1),
  tool(
    'github__list_pull_requests',
    'Merged or open pull requests of a repository.',
    params(
      {
        repo: [string, 'owner/name'],
        state: [oneOf('open', 'merged'), 'Which ones'],
        labels: [listOf(string), 'Only with one of these labels'],
        since_tag: [string, 'Only after this tag'],
      },
      ['repo'],
    ),
  ),
  tool(
    'github__get_pull_request',
    'Title, text and author of one pull request.',
    params({ repo: [string, 'owner/name'], number: [integer, 'Its number'] }, ['repo', 'number']),
  ),
];

const gitLog = text(
  '9f3c1ab Retry uploads with jitter (#412)',
  '41de770 Drop Python 3.9 (#409)',
  'c0a8831 Fix: empty prefix listed the whole bucket (#405)',
  '0b7715e docs: typo in quickstart (#404)',
);

const pulls = text(
  '[{"number":412,"title":"Retry uploads with jitter","author":"ines-m","labels":["feature"]},',
  ' {"number":409,"title":"Drop Python 3.9","author":"tobiasw","labels":["breaking"]},',
  ' {"number":405,"title":"Fix: empty prefix listed the whole bucket","author":"ines-m","labels":["bug"]},',
  ' {"number":404,"title":"docs: typo in quickstart","author":"first-timer-91","labels":["docs"]}]',
);

const notes = text(
  '## 2.7.0 (2026-01-14)',
  '',
  '**Breaking**: Python 3.9 is no longer supported (#409, @tobiasw).',
  '',
  '- New: uploads are retried with jitter (#412, @ines-m).',
  '- Fixed: an empty prefix no longer lists the whole bucket (#405, @ines-m).',
  '',
  'Thanks to @first-timer-91 for a first contribution (#404) 🎉',
);

/** The log of this session. */
export function releaseNotes() {
  const session = openSession({
    id,
    start,
    tools: earlyTools,
    stamp: utcMicros,
    model: 'gpt-4.1-2025-04-14',
    system: goosePrompt(start, { developer: developerExtension }),
    info: (micros) => gooseInfo(micros, '/home/ines/src/bucketeer'),
  });
  session.user('Write the release notes for 2.7.0: everything since v2.6.2, with the authors.');
  session.callTools(null, [
    ['developer__shell', { command: 'git log --oneline v2.6.2..HEAD' }, gitLog],
    [
      'platform__manage_extensions',
      { action: 'enable', name: 'github' },
      'The extension github is on. Its tools are available from the next message.',
    ],
  ]);
  session.offer(lateTools);
  session.callTools(null, [
    ['github__list_pull_requests', { repo: 'ines-m/bucketeer', state: 'merged', since_tag: 'v2.6.2' }, pulls],
  ]);
  session.log({ role: 'assistant', content: '' });
  session.log({ role: 'assistant', content: notes });
  session.rewrite((history) => [
    ...history,
    { role: 'assistant', content: '' },
    { role: 'assistant', content: notes },
  ]);
  session.wait(20);
  session.user('Great, without the docs line please.');
  session.answer(notes.split('\n').slice(0, -2).join('\n'));
  const [first, second, third, ...rest] = session.lines();
  return {
    path: `2026-01-14/release-notes-${id}.jsonl`,
    bytes: Buffer.from(logFile([first, second + third, ...rest])),
  };
}
