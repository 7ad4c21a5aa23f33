/** The paths of the conversations that were continued last: calls of several agents alternate. */
import type { Message } from './element.ts';
import { type Path, pathOf, sharedLength } from './path-hashes.ts';

const MAX_PATHS = 4;

export class RecentPaths {
  #paths: Path[] = [];

  /** @returns the hashes of a path; how many of them are those of a whole path before, if there are more */
  take(messages: readonly Message[]): { readonly hashes: readonly string[]; readonly continued: number } {
    let [nearest, most] = [-1, 0];
    for (const [i, path] of this.#paths.entries()) {
      const shared = sharedLength(messages, path);
      if (shared > most) [nearest, most] = [i, shared];
    }
    const known = this.#paths[nearest] ?? this.#paths[0];
    const path = pathOf(messages, known, most);
    const length = known?.hashes.length ?? 0;
    const continues =
      length > 0 && length < messages.length && path.hashes[length - 1] === known?.hashes.at(-1);
    if (continues) this.#paths.splice(Math.max(nearest, 0), 1);
    else if (this.#paths.length === MAX_PATHS) this.#paths.pop();
    this.#paths.unshift(path);
    return { hashes: path.hashes, continued: continues ? length : 0 };
  }

  clear(): void {
    this.#paths = [];
  }
}
