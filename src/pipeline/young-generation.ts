/**
 * Keeps V8's young generation small. It grows to three times 16 MB when many objects live for one session, which makes the
 * process a third larger and not faster (measured: bench/RESULTS.md); the flag that stops it is read at every growth.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const ENOUGH_BYTES = 4 * 1024 * 1024;

/** From now on it keeps its size: for work whose garbage is no measure of what comes after it. */
export function holdYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** It may grow again, up to 4 MB. Returns a function to call now and then. */
export function limitYoungGeneration(): () => void {
  setFlagsFromString('--semi-space-growth-factor=2');
  let held = false;
  return () => {
    if (held) return;
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    held = space !== undefined && space.space_size >= ENOUGH_BYTES;
    if (held) holdYoungGeneration();
  };
}
