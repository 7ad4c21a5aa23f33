import { expect, test } from 'vitest';
import { main } from '../../../src/cli/main.ts';
import { hasColors, painted, SUMMARY_STYLES, VERDICT_STYLES } from '../../../src/cli/paint.ts';
import { RecordingHost } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from './small-logs.ts';

const RED = '\u001b[31m';

class Terminal extends RecordingHost {
  override readonly isTerminal = true;
}

test.each([
  ['auto', true, {}, true],
  ['auto', false, {}, false],
  ['auto', true, { NO_COLOR: '1' }, false],
  ['auto', true, { NO_COLOR: '' }, true],
  ['auto', true, { TERM: 'dumb' }, false],
  ['always', false, { NO_COLOR: '1' }, true],
  ['never', true, {}, false],
] as const)('--color %s, terminal %s, %j: %s', (choice, isTerminal, env, expected) => {
  expect(hasColors(choice, isTerminal, env)).toBe(expected);
});

test('paints the parts that matter, and nothing without colours', () => {
  const text =
    'turnmill: 1 conversation from 1 log.\n\n  rejected   1\n             1 error   last line damaged (damaged-tail)\n';
  expect(painted(text, SUMMARY_STYLES, false)).toBe(text);
  const lines = painted(text, SUMMARY_STYLES, true).split('\n');
  expect(lines[0]).toBe('\u001b[1mturnmill: 1 conversation from 1 log.\u001b[22m');
  expect(lines[2]).toBe(`  ${RED}rejected\u001b[39m   1`);
  expect(lines[3]).toBe(`${RED}             1 error   last line damaged (damaged-tail)\u001b[39m`);
  expect(painted('a:1: refuses: b: c', VERDICT_STYLES, true)).toBe(`a:1: ${RED}refuses\u001b[39m: b: c`);
});

test('the summary of a build has colours with --color always and on a terminal, and none in a file', async () => {
  const log = writeLog(temporaryFolder(), 'a.jsonl', [entry(), '{']);
  const shown = async (host: RecordingHost, ...args: readonly string[]): Promise<string> => {
    expect(await main(['build', log, '--dry-run', ...args], host)).toBe(3);
    return host.stderr;
  };
  expect(await shown(new RecordingHost())).not.toContain('\u001b');
  expect(await shown(new RecordingHost(), '--color', 'always')).toContain(`${RED}rejected`);
  expect(await shown(new Terminal(), '--color', 'never')).not.toContain(RED);
});
