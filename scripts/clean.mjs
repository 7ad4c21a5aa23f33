// Removes what an earlier build left, so that dist/ never holds a module whose source is gone.
import { rmSync } from 'node:fs';

for (const part of ['src', 'transforms', 'chunks']) {
  rmSync(new URL(`../dist/${part}`, import.meta.url), { recursive: true, force: true });
}
