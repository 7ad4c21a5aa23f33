// A gzip file of two members, logged by a Go proxy (`<info-msg>` is written with \u003c). The clock in
// the system prompt moves on with each request. One request failed at the model server and was sent
// again. The title entry is stamped before the entry above it.

import { developerExtension, gooseInfo, goosePrompt, gooseTitle } from '../goose.mjs';
import { gzip } from '../gzip.mjs';
import { go } from '../json.mjs';
import { openSession } from '../proxy.mjs';
import { moment, utcMillis } from '../stamps.mjs';
import { boolean, integer, logFile, oneOf, params, string, text, tool } from '../text.mjs';

const id = 'disk-usage-1768381504009000000';
const start = moment('2026-01-14T09:05:04.009Z');

const tools = [
  tool(
    'developer__shell',
    'Run a command and return what it prints.',
    params({ command: [string, 'The command line'], timeout_s: [integer, 'Give up after this'] }, [
      'command',
    ]),
  ),
  tool(
    'docker__list',
    'Images, containers or volumes with their sizes.',
    params(
      {
        kind: [oneOf('images', 'containers', 'volumes'), 'What to list'],
        unused_only: [boolean, 'Only what nothing refers to'],
      },
      ['kind'],
    ),
  ),
  tool(
    'docker__prune',
    'Remove what nothing refers to. Asks nobody.',
    params({ kind: [oneOf('images', 'containers', 'volumes'), 'What to remove'] }, ['kind']),
  ),
];

const df = text(
  'Filesystem                         Size  Used Avail Use% Mounted on',
  '/dev/mapper/vg0-root                98G   94G     0 100% /',
  '/dev/nvme0n1p2                     488M  141M  312M  32% /boot',
  '/dev/mapper/vg0-data               1.8T  611G  1.1T  36% /data',
);

const du = text(
  '51G\t/var/lib/docker/overlay2',
  '17G\t/var/log/journal',
  '6.2G\t/usr/lib',
  '3.9G\t/home/ops/.cache',
  '1.1G\t/var/lib/apt/lists',
);

const images = text(
  '[{"repository":"ci/builder","tag":"2025-11","size":"9.4GB","used_by":0},',
  ' {"repository":"ci/builder","tag":"2025-12","size":"9.6GB","used_by":0},',
  ' {"repository":"ci/builder","tag":"2026-01","size":"9.6GB","used_by":3},',
  ' {"repository":"<none>","tag":"<none>","size":"14.1GB","used_by":0}]',
);

const request =
  'The root disk of build-04 is full & jobs fail. What takes the space, and what can go? Do not delete anything yet.';

const overloaded = {
  error: {
    type: 'overloaded_error',
    message: 'The server is overloaded, try again later',
    code: 529,
  },
};

/** The log of this session. */
export function diskUsage() {
  const session = openSession({
    id,
    start,
    tools,
    style: go,
    model: 'gpt-4.1-mini-2025-04-14',
    system: (micros) =>
      goosePrompt(micros, {
        developer: developerExtension,
        docker: 'Talks to the Docker daemon of this host. `docker__prune` cannot be undone.',
      }),
    info: (micros) => gooseInfo(micros, '/home/ops', 'Host: build-04 <root@10.20.0.14>'),
  });
  session.user(request);
  session.callTools(null, [
    ['developer__shell', { command: 'df -h -x tmpfs' }, df],
    ['developer__shell', { command: 'du -xh / 2>/dev/null | sort -rh | head -5 && echo done' }, du],
  ]);
  session.log(
    { role: 'assistant', content: 'Full disk build-04' },
    { ...gooseTitle(request), timestamp: utcMillis(start - 6000) },
  );
  session.log(undefined, { response: overloaded, takes: 12.5 });
  session.callTools('Docker and the journal. I list the images that nothing uses.', [
    ['docker__list', { kind: 'images', unused_only: false }, images],
  ]);
  const early = session.lines().length;
  session.answer(
    text(
      'Two things fill `/` (98 GB):',
      '',
      '| what | size | can go? |',
      '|---|---|---|',
      '| unused images (`ci/builder:2025-11`, `:2025-12`, untagged) | 33.1 GB | yes: `docker image prune -a` |',
      '| journal | 17 GB | down to 1 GB: `journalctl --vacuum-size=1G` |',
      '',
      '`ci/builder:2026-01` is used by 3 containers and stays. I have deleted nothing.',
    ),
  );
  const lines = session.lines();
  const members = [lines.slice(0, early), lines.slice(early)].map((part) => gzip(logFile(part)));
  return { path: `2026-01-14/${id}.jsonl.gz`, bytes: Buffer.concat(members) };
}
