/** A worker thread: receives tasks, runs them and posts the results as parts. It pauses while too many are unread. */

import type { MessagePort } from 'node:worker_threads';
import { type CompiledScanner, takeCompiledScanner } from '../../transforms/json/wasm-scanner.ts';
import { type ReadBack, readBack } from '../dataset/read-back.ts';
import type { Delivery } from '../engine/delivery.ts';
import { runTask, WINDOW_BYTES } from '../engine/run-task.ts';
import type { TaskSource } from '../engine/task.ts';
import { TurnmillError } from '../errors.ts';
import type { SourceRef } from '../input/sources/source.ts';
import { joinSmall } from '../ledger/part.ts';
import { type Result, weightOfAll } from '../ledger/result.ts';
import type { ProfileFigures } from '../profile.ts';
import { encodeHandedOver, type HandedOver } from '../record/recorded-sources.ts';
import { reloadPlugIns } from '../settings/plug-ins.ts';
import type { RecordSettings, TaskSettings } from '../settings/settings.ts';
import { recordSources } from './source-recorder.ts';

/** Messages from the main thread: sources to read, that a delivery was taken, or a written file to read back. */
export type ToWorker =
  | { readonly type: 'task'; readonly sources: readonly TaskSource[] }
  | { readonly type: 'taken'; readonly weight: number }
  | { readonly type: 'read-back'; readonly path: string };

/** A delivery as it is posted to the main thread; `pieces` are the part with its results. */
export interface PostedPart {
  readonly type: 'part';
  readonly pieces: readonly Uint8Array[];
  readonly readBytes: number;
  readonly flushed: boolean;
  readonly profile: ProfileFigures | undefined;
  /** Approximate memory of the results, in bytes. They count as unread until the main thread sends it back as `taken`. */
  readonly weight: number;
}

/** An error that ends the run. */
export interface PostedFault {
  readonly type: 'fault';
  /** Empty if the error is a bug. */
  readonly code: string;
  readonly message: string;
  readonly stack: string;
}

/** The thread has loaded its code, and can read. */
export interface PostedReady {
  readonly type: 'ready';
}

/** The figures of a written file; undefined if it could not be read back. */
export interface PostedFigures {
  readonly type: 'read-back';
  readonly read: ReadBack | undefined;
}

export type FromWorker = PostedReady | PostedPart | PostedFault | PostedFigures;

/** The settings of a thread; with the inputs, it records the sources that it reads. */
export type ThreadSettings = TaskSettings & Partial<RecordSettings>;

export interface WorkerData {
  readonly settings: ThreadSettings;
  /** Index of a source that must not be recorded, because a thread that died may have delivered a part of its results. */
  readonly unrecorded: number | undefined;
  /** One cell of shared memory with the index of the source being read, which survives the death of the thread. */
  readonly currentIndex: Int32Array<SharedArrayBuffer>;
  /** Flags of V8 to set before anything else is loaded; undefined if the program is not the command. */
  readonly flags: readonly string[] | undefined;
  /** The scanner, compiled by the main thread; undefined if it is not used. */
  readonly scanner: CompiledScanner | undefined;
}

export class TaskWorker {
  readonly #port: MessagePort;
  readonly #data: WorkerData;
  readonly #queue: TaskSource[] = [];
  /** Sources whose reports were not posted yet, by index. */
  readonly #unposted = new Map<number, SourceRef>();
  #unreadBytes = 0;
  #wake: () => void = () => undefined;

  constructor(port: MessagePort, data: WorkerData) {
    this.#port = port;
    this.#data = data;
    port.on('message', (message: ToWorker) => this.#receive(message));
  }

  /** Reads sources until the thread is stopped. An error is posted, not thrown, and closes the port. */
  async run(): Promise<void> {
    try {
      const { settings, scanner } = this.#data;
      takeCompiledScanner(scanner);
      const upcoming = (): SourceRef[] => this.#queue.map(({ ref }) => ref);
      const plugIns = await reloadPlugIns(settings.plugIns.files);
      this.#port.postMessage({ type: 'ready' } satisfies PostedReady);
      for await (const delivery of runTask(this.#sources(), { ...settings, plugIns }, { upcoming })) {
        while (this.#unreadBytes > WINDOW_BYTES) await this.#message();
        this.#post(delivery);
      }
    } catch (error) {
      const { message, stack = '' } = error as Error;
      const code = error instanceof TurnmillError ? error.code : '';
      this.#port.postMessage({ type: 'fault', code, message, stack } satisfies PostedFault);
    }
    this.#port.close();
  }

  #receive(message: ToWorker): void {
    if (message.type === 'task') {
      this.#queue.push(...message.sources);
      for (const { index, ref } of message.sources) this.#unposted.set(index, ref);
    } else if (message.type === 'taken') this.#unreadBytes -= message.weight;
    else void this.#readBack(message.path);
    this.#wake();
  }

  async #readBack(path: string): Promise<void> {
    const read = await readBack(path).catch(() => undefined); // the main thread tries again, and says why it fails
    this.#port.postMessage({ type: 'read-back', read } satisfies PostedFigures);
  }

  /** Resolves when the next message arrives. */
  #message(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async *#sources(): AsyncGenerator<TaskSource> {
    for (;;) {
      const next = this.#queue.shift();
      if (next !== undefined) {
        Atomics.store(this.#data.currentIndex, 0, next.index);
        yield next;
      } else await this.#message();
    }
  }

  /** Records what the thread may record of the results. */
  #recorded(results: readonly Result[]): readonly HandedOver[] {
    const { settings, unrecorded } = this.#data;
    const sourceAt = (index: number): SourceRef => this.#unposted.get(index) as SourceRef;
    const handed = isRecording(settings)
      ? recordSources(results, settings, sourceAt, (index) => index !== unrecorded)
      : results;
    for (const result of results) if (result.kind === 'source') this.#unposted.delete(result.source);
    return handed;
  }

  #post({ results, readBytes, flushed, profile }: Delivery): void {
    const weight = weightOfAll(results);
    const pieces = joinSmall(encodeHandedOver(this.#recorded(results)));
    this.#unreadBytes += weight;
    this.#port.postMessage(
      { type: 'part', pieces, readBytes, flushed, profile, weight } satisfies PostedPart,
      buffersOf(pieces),
    );
  }
}

const isRecording = (settings: ThreadSettings): settings is RecordSettings => settings.inputs !== undefined;

/** Returns the buffers that belong to a single piece: they are transferred to the other thread instead of copied. */
function buffersOf(pieces: readonly Uint8Array[]): ArrayBuffer[] {
  const own = pieces.filter(({ length, buffer }) => length > 0 && length === buffer.byteLength);
  return [...new Set(own.map(({ buffer }) => buffer as ArrayBuffer))];
}
