/** Hooks with which a caller watches a run and stops it. */
import type { PlugInCalls } from '../engine/run-task.ts';
import type { Listing } from '../input/sources/source.ts';
import type { FindingResult, Result } from '../ledger/result.ts';

/** Progress of a run, reported while it runs. */
export interface RunProgress {
  readonly sources: number;
  readonly totalSources: number;
  readonly readBytes: number;
  /** Undefined for standard input. */
  readonly totalBytes: number | undefined;
  readonly records: number;
  readonly rejections: number;
}

/**
 * Limits the heap of the process during a run, and may make V8 compile for a long one. The library itself sets no V8
 * flags; the owner of the process may do so here.
 */
export interface HeapControl {
  /**
   * Called before the first source is read.
   * @param isLong whether reading takes some seconds
   */
  begin(isLong: boolean): void;
  /** Called from time to time while sources are read. */
  check(): void;
  /** Called before work with untypically much garbage, which should not make the heap grow. */
  hold(): void;
  /** Called when a thread has begun, which sets V8's flags as they are at the start (src/start-flags.ts). */
  restore(): void;
}

export interface RunHooks {
  readonly heap?: HeapControl;
  readonly signal?: AbortSignal;
  /** Called once the settings are found to be right, before anything is read or written. */
  readonly onSettings?: () => void;
  readonly plugInCalls?: PlugInCalls;
  readonly onProgress?: (progress: RunProgress) => void;
  /** Called with every result, in the order of the sources, before it is recorded; a returned promise is awaited. */
  readonly onResult?: (result: Result, listing: Listing) => unknown;
  /**
   * Called with the findings of sources that have no rejections and whose results `onResult` does not get, because worker
   * threads record them. Without this hook, `onResult` gets the results of all sources, which takes longer.
   */
  readonly onFindings?: ((findings: readonly FindingResult[]) => void) | undefined;
  /** Shows a note about the run to people. Returns false if it could not be shown. */
  readonly onNote?: (message: string) => boolean | undefined;
}
