// The clock of the logging machine was set back during the session: the third entry is stamped before
// the second. The right order of these entries is lost.

import { openSession } from '../proxy.mjs';
import { moment } from '../stamps.mjs';
import { boolean, integer, logFile, params, string, text, tool } from '../text.mjs';

const id = 'build-watch-1768401720884000000';
const start = moment('2026-01-14T14:42:00.884Z');

const tools = [
  tool(
    'ci__latest_runs',
    'Latest runs of a pipeline.',
    params({ pipeline: [string, 'Its name'], count: [integer, 'How many'] }, ['pipeline']),
  ),
  tool(
    'ci__job_log',
    'The end of the log of a job.',
    params({ run: [integer, 'Run number'], job: [string, 'Job name'], lines: [integer, 'How many'] }, [
      'run',
      'job',
    ]),
  ),
  tool(
    'ci__rerun',
    'Run a job again.',
    params(
      {
        run: [integer, 'Run number'],
        job: [string, 'Job name'],
        clean: [boolean, 'Without cache'],
      },
      ['run', 'job'],
    ),
  ),
];

const jobLog = text(
  '#14 [build 6/9] RUN cargo build --release --locked',
  '#14 212.4    Compiling ring v0.17.14',
  '#14 219.8 error: linking with `cc` failed: exit status: 1',
  '#14 219.8   = note: /usr/bin/ld: final link failed: No space left on device',
  '#14 ERROR: process "/bin/sh -c cargo build --release --locked" did not complete successfully: exit code: 101',
);

/** The log of this session. */
export function buildWatch() {
  const session = openSession({
    id,
    start,
    tools,
    model: 'gpt-4.1-mini-2025-04-14',
    system: {
      role: 'system',
      content:
        'You watch the build pipelines. Find the first real error in a log, name it, and propose one next step.',
    },
  });
  session.user('Why is nightly red?');
  session.callTools(null, [
    [
      'ci__latest_runs',
      { pipeline: 'nightly', count: 2 },
      '[{"run":8831,"state":"failed","job":"image-arm64"},{"run":8830,"state":"passed"}]',
    ],
  ]);
  session.callTools(null, [['ci__job_log', { run: 8831, job: 'image-arm64', lines: 40 }, jobLog]]);
  session.wait(-41.733);
  session.answer(
    'The disk of the arm64 builder is full: `No space left on device` while linking. The code is fine. Shall I run the job again once there is room?',
  );
  session.wait(33.1);
  session.user('Yes, there is room now.');
  session.callTools(null, [
    ['ci__rerun', { run: 8831, job: 'image-arm64', clean: true }, '{"run":8832,"state":"queued"}'],
  ]);
  return { path: `2026-01-14/${id}.jsonl`, bytes: Buffer.from(logFile(session.lines())) };
}
