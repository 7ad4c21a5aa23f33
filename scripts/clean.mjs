// Removes the previous build, so that dist/ contains no modules whose source was deleted.
import { rmSync } from 'node:fs';

for (const part of ['src', 'transforms', 'package']) {
  rmSync(new URL(`../dist/${part}`, import.meta.url), { recursive: true, force: true });
}
