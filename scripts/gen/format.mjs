// Formats generated text with biome: import order, line breaks, tables.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export function formatted(root, path, text) {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
  return execFileSync(process.execPath, [biome, 'check', '--write', `--stdin-file-path=${path}`], {
    cwd: root,
    input: text,
    encoding: 'utf8',
  });
}
