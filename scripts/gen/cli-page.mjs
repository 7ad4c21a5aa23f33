// Generates docs/cli.md: the help of the program and of each command with all options, as printed.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { page } from './markdown.mjs';

const COMMAND_LINE = /^ {2}turnmill ([a-z]+) {2,}/gm;

export async function cliPage(root) {
  const overview = await help(root, []);
  const commands = [...new Set([...overview.matchAll(COMMAND_LINE)].map(([, name]) => name))];
  if (!commands.includes('build')) throw new Error('turnmill --help does not list the command build');
  const helps = await Promise.all(commands.map((name) => help(root, [name, '--all'])));
  return page('The command line', [
    block(overview),
    'The pages below show all options: `turnmill COMMAND --help --all`. `--help` alone leaves out those that are rarely needed.',
    ...commands.flatMap((name, i) => [`## turnmill ${name}`, block(helps[i])]),
    'The exit statuses are in [dataset.md](dataset.md#exit-statuses).',
  ]);
}

const block = (text) => `\`\`\`text\n${text}\n\`\`\``;

/** Returns the output of `--help` into a pipe, which has 80 columns on every machine. */
async function help(root, command) {
  const bin = join(root, 'dist/package/bin.js');
  const env = { ...process.env, LC_ALL: 'C', NO_COLOR: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, [bin, ...command, '--help'], { env });
  return stdout.trimEnd();
}
