import { afterEach, expect, it, vi } from 'vitest';
import { Checkpoints } from '../../../src/record/checkpoints.ts';
import { end, MemoryOutput, record } from '../../support/results.ts';

const MEBIBYTE = 1024 * 1024;

afterEach(() => vi.unstubAllEnvs());

/** A clock that the test sets, and an output whose checkpoints take a second each. */
class Slow extends MemoryOutput {
  now = 0;
  readonly clock = (): number => this.now;

  override checkpoint(sources: number): void {
    this.now += 1000;
    super.checkpoint(sources);
  }
}

const read = (source: number, readBytes: number): ReturnType<typeof end> => end(source, [], { readBytes });

it('writes a checkpoint at the end of a source once the work since the last one has reached 256 MiB', () => {
  const output = new Slow();
  const checkpoints = new Checkpoints(output, 0, output.clock);
  checkpoints.see(read(0, 255 * MEBIBYTE));
  expect(output.checkpoints).toEqual([]);
  checkpoints.see(read(1, MEBIBYTE));
  expect(output.checkpoints).toEqual([2]);
  output.now += 1e6;
  checkpoints.see(read(2, 255 * MEBIBYTE));
  expect(output.checkpoints).toEqual([2]);
});

it('counts reused records as work, because their sources are not read', () => {
  const output = new Slow();
  const checkpoints = new Checkpoints(output, 0, output.clock);
  checkpoints.see(record('', { bytes: { length: 256 * MEBIBYTE } as Uint8Array }));
  expect(output.checkpoints).toEqual([]);
  checkpoints.see(read(0, 0));
  expect(output.checkpoints).toEqual([1]);
});

it('waits twenty times as long as the last checkpoint took', () => {
  const output = new Slow();
  const checkpoints = new Checkpoints(output, 0, output.clock);
  checkpoints.see(read(0, 256 * MEBIBYTE));
  output.now += 19_999;
  checkpoints.see(read(1, 256 * MEBIBYTE));
  expect(output.checkpoints).toEqual([1]);
  output.now += 1;
  checkpoints.see(read(2, 0));
  expect(output.checkpoints).toEqual([1, 3]);
});

it('writes no checkpoint until the run is past the one that it resumed from', () => {
  const output = new Slow();
  const checkpoints = new Checkpoints(output, 2, output.clock);
  for (const source of [0, 1, 2]) checkpoints.see(read(source, 256 * MEBIBYTE));
  expect(output.checkpoints).toEqual([3]);
});

it('writes one after every source with TURNMILL_CHECKPOINT_BYTES=0, whatever the time', () => {
  vi.stubEnv('TURNMILL_CHECKPOINT_BYTES', '0');
  const output = new Slow();
  const checkpoints = new Checkpoints(output, 0, output.clock);
  for (const source of [0, 1, 2]) checkpoints.see(read(source, 0));
  expect(output.checkpoints).toEqual([1, 2, 3]);
});
