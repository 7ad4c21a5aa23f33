/** A command: one file each. The modules that do its work are imported only when it runs, so that the program starts fast. */
import type { PlugInCalls } from '../../engine/run-task.ts';
import type { NamedOption } from '../../settings/option.ts';
import type { Host } from '../host.ts';
import type { Values } from '../options/values.ts';

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Arguments after the name, as the help shows them; notes follow after an empty line. */
  readonly usage: string;
  readonly options: readonly NamedOption[];
  /** Command lines (without `turnmill`), each with a description. */
  readonly examples: readonly (readonly [string, string])[];
  /** Number of arguments besides the options, and the error if there are too few. */
  readonly words: { readonly least: number; readonly most: number; readonly missing: string };
  /** Whether it stops by itself when its signal is aborted; otherwise the first signal ends the process. */
  readonly stoppable: boolean;
  /** @returns the exit status */
  run(request: Request): Promise<number>;
}

export interface Request {
  readonly words: readonly string[];
  readonly values: Values;
  readonly signal: AbortSignal;
  /** Between its two calls, a signal ends the process at once. */
  readonly plugInCalls: PlugInCalls;
  readonly host: Host;
  readonly commands: readonly Command[];
}
