/** `turnmill completion`: prints a script that completes commands, options and their values in a shell. */
import { failUsage } from '../../errors.ts';
import { optionsIn } from '../../settings/option.ts';
import { SUCCESS } from '../faults.ts';
import { LOG_OPTION } from '../options/shared-options.ts';
import type { Command } from './command.ts';

export const completion: Command = {
  name: 'completion',
  summary: 'Print a script that completes the command line in a shell',
  usage: 'bash|zsh|fish',
  options: optionsIn(LOG_OPTION),
  examples: [
    ['completion bash > /etc/bash_completion.d/turnmill', 'Complete in bash, for all users'],
    ['completion zsh > ~/.turnmill.zsh', 'Complete in zsh, if ~/.zshrc has: source ~/.turnmill.zsh'],
    ['completion fish > ~/.config/fish/completions/turnmill.fish', 'Complete in fish'],
  ],
  words: { least: 1, most: 1, missing: 'name a shell: bash, zsh or fish' },
  stoppable: false,
  async run({ words: [name = ''], host, commands }) {
    const { completionScript, SHELLS } = await import('../completion.ts');
    const shell = SHELLS.find((known) => known === name);
    if (shell === undefined) failUsage(`completion: '${name}' is not one of ${SHELLS.join(', ')}`);
    await host.print(completionScript(shell, commands).trimEnd());
    await host.endPrinting();
    return SUCCESS;
  },
};
