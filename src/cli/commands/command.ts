/** What a command is: one file each. It imports what does the work only when it runs, so that the start is quick. */
import type { Option, Values } from '../options/option.ts';

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** The words after the command's name, for the help. */
  readonly usage: string;
  readonly options: readonly Option[];
  /** A command line (without `turnmill`) and what it does. */
  readonly examples: readonly (readonly [string, string])[];
  /** What may stand beside the options. */
  readonly words: { readonly least: number; readonly most: number; readonly missing: string };
  /** Does it stop when it is asked to? Else the first signal ends the process. */
  readonly stoppable: boolean;
  /** Returns the exit status. */
  run(request: Request): Promise<number>;
}

export interface Request {
  readonly words: readonly string[];
  readonly values: Values;
  readonly signal: AbortSignal;
}
