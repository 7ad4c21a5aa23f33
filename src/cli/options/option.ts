/** What an option is. Specified once: the flag, its help, its key in a configuration file and its checks come from here. */
import type { ReasoningMode } from '../../../transforms/stages/reasoning.ts';
import type { LogLevel } from '../../log-level.ts';
import type { Tolerance } from '../../settings/error-budget.ts';

/** Every option of every command, by its camelCase name: the plain values after all checks. */
export interface OptionValues {
  out: string;
  replace: boolean;
  update: string;
  checksum: boolean;
  resume: boolean;
  dryRun: boolean;
  allowEmpty: boolean;
  follow: boolean;
  followOutside: boolean;
  dialect: string;
  plugin: readonly string[];
  userTurn: string;
  sessionBy: 'file' | 'id';
  maxLine: number;
  maxDepth: number;
  maxMessages: number;
  maxElements: number;
  maxSources: number;
  maxDecompressed: number;
  maxRatio: number;
  limit: number;
  cleanup: readonly string[];
  format: readonly string[];
  jsonToolCalls: boolean;
  groupBy: 'date' | 'scenario' | 'none';
  reasoning: ReasoningMode;
  integrity: boolean;
  onFinding: Readonly<Record<string, 'reject' | 'keep'>>;
  onReject: 'quarantine' | 'fail';
  maxQuarantine: Tolerance;
  quarantineContent: 'ref' | 'raw';
  quarantineSize: number;
  shardSize: number;
  mode: number;
  compress: 'none' | 'gzip' | 'zstd';
  workers: number;
  profile: boolean;
  config: string;
  logLevel: LogLevel;
  json: boolean;
  target: readonly string[];
  root: string;
  in: string;
  into: string;
  logs: readonly string[];
  after: string;
  kind: readonly string[];
}
export type OptionName = keyof OptionValues;
export type Values = { readonly [K in OptionName]?: OptionValues[K] };

export type OptionGroup = 'Input' | 'Conversion' | 'Output' | 'Run';

/** Ends with what is wrong with a value; the caller knows whose it is. */
export type Refuse = (problem: string) => never;

/** How a value is written on the command line and in a configuration file. */
export interface ValueType<T> {
  /** Stands for the value in the help; undefined for a flag, which has none. */
  readonly placeholder: string | undefined;
  /** May the flag come more than once? */
  readonly repeatable?: boolean;
  fromTexts(texts: readonly string[], refuse: Refuse): T;
  fromJson(value: unknown, refuse: Refuse): T;
}

export interface Option<K extends OptionName = OptionName> {
  readonly name: K;
  readonly alias?: string;
  readonly group: OptionGroup;
  readonly describe: string;
  /** What holds without it, as the help shows it. */
  readonly default?: string;
  readonly type: ValueType<OptionValues[K]>;
  /** Is it a flag that says `--no-NAME`, or has one beside it? Its value is then this. */
  readonly negative?: { readonly describe: string; readonly value: OptionValues[K]; readonly only?: boolean };
  /** May it stand without a value beside this option? Its value is then that one's. */
  readonly beside?: OptionName;
  /** Reads the value beside `--plugin`: names of plug-ins are checked when the files are loaded. */
  readonly typeWithPlugIns?: ValueType<OptionValues[K]>;
  /** May it not be in a configuration file? */
  readonly flagOnly?: boolean;
}

/** Checks that the option's type is that of its value. */
export function option<K extends OptionName>(spec: Option<K>): Option {
  return spec as unknown as Option;
}
