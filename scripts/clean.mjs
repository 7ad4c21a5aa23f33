// Removes the previous build, so that dist/ never contains a module whose source is gone.
import { rmSync } from 'node:fs';

for (const part of ['src', 'transforms', 'package']) {
  rmSync(new URL(`../dist/${part}`, import.meta.url), { recursive: true, force: true });
}
