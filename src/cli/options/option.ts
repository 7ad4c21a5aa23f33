/** Defines an option once: its flag, its help, its key in a configuration file and its checks derive from that. */
import type { FoldSelect } from '../../../transforms/dialects/dialect.ts';
import type { FormatOptionValues } from '../../../transforms/formats/format-options.ts';
import type { MetaName } from '../../../transforms/model/meta.ts';
import type { PlugIns } from '../../../transforms/plug-ins.ts';
import type { ReasoningMode } from '../../../transforms/stages/reasoning.ts';
import type { LogLevel } from '../../log-level.ts';
import type { Tolerance } from '../../settings/error-budget.ts';
import { flagOf } from '../../settings/settings.ts';

/** The checked values of all options of all commands, by camelCase name. */
export interface OptionValues {
  out: string;
  replace: boolean;
  update: string;
  checksum: boolean;
  resume: boolean;
  dryRun: boolean;
  report: boolean;
  only: readonly string[];
  against: string;
  port: number;
  origin: readonly string[];
  open: boolean;
  export: string;
  endpoint: string;
  model: string;
  eachTurn: boolean;
  maxSteps: number;
  concurrency: number;
  maxAnswer: number;
  onMiss: 'stop' | 'tell';
  prompt: 'messages' | 'astracodex';
  keyEnv: string;
  prefer: 'recorded';
  allowEmpty: boolean;
  allowShrink: boolean;
  follow: boolean;
  followOutside: boolean;
  dialect: string;
  plugin: readonly string[];
  userTurn: string;
  systemText: string;
  toolDefinitions: string;
  sessionBy: 'file' | 'id' | 'folder';
  select: FoldSelect;
  maxLine: number;
  maxDepth: number;
  maxMessages: number;
  minRead: number;
  maxElements: number;
  maxConversation: number;
  maxBranches: number;
  maxPart: number;
  maxSources: number;
  maxDecompressed: number;
  maxRatio: number;
  limit: number;
  cleanup: readonly string[];
  format: readonly string[];
  /** Options of formats, by the names that the formats choose. */
  formatOptions: FormatOptionValues;
  meta: readonly MetaName[];
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
  s3Endpoint: string;
  s3Region: string;
  s3PathStyle: boolean;
  s3Anonymous: boolean;
  s3RequesterPays: boolean;
  s3Sse: string;
  s3PartSize: number;
  s3Range: number;
  s3InFlight: number;
  s3Window: number;
  s3Checksum: 'required' | 'supported';
  s3Condition: 'probe' | 'trust' | 'none';
  s3Grace: number;
}
export type OptionName = keyof OptionValues;
export type Values = { readonly [K in OptionName]?: OptionValues[K] };

/** Headings of the help, in order. */
export const OPTION_GROUPS = [
  'Input',
  'Input limits',
  'Conversion',
  'Format options',
  'Output',
  'Quarantine',
  'Run',
  'S3',
] as const;
export type OptionGroup = (typeof OPTION_GROUPS)[number];

/** Throws an error about an invalid value; the caller adds the name of the option to `problem`. */
export type Refuse = (problem: string) => never;

/** Parses a value from the command line or from a configuration file. */
export interface ValueType<T> {
  /** Placeholder of the value in the help, such as FILE; undefined for a flag that takes no value. */
  readonly placeholder: string | undefined;
  /** Values that the help lists after the description, when there are too many for the placeholder. */
  readonly choices?: readonly string[];
  /** Whether the flag may be repeated. */
  readonly repeatable?: boolean;
  fromTexts(texts: readonly string[], refuse: Refuse): T;
  fromJson(value: unknown, refuse: Refuse): T;
}

export interface Option<K extends OptionName = OptionName> {
  readonly name: K;
  readonly alias?: string;
  readonly group: OptionGroup;
  readonly describe: string;
  /** Rarely needed: shown by `--help --all` only. */
  readonly advanced?: boolean;
  /** The default, as the help shows it. */
  readonly default?: string;
  readonly type: ValueType<OptionValues[K]>;
  /** Adds a flag `--no-NAME` that sets this value; with `only`, there is no flag `--NAME`. */
  readonly negative?: { readonly describe: string; readonly value: OptionValues[K]; readonly only?: boolean };
  /** If this other option is present too, the value may be left out and defaults to the other option's. */
  readonly defaultsTo?: OptionName;
  /** Returns the type to use when plug-ins are loaded, such as one with more choices. */
  readonly typeWith?: (plugIns: PlugIns) => ValueType<OptionValues[K]>;
  /** Set for an option of a format: its value goes into `formatOptions`. */
  readonly ofFormat?: true;
  /** Whether it may also be set in the environment: as `TURNMILL_` and the name of the flag in capitals. */
  readonly fromEnvironment?: boolean;
  /** Whether it is forbidden in a configuration file. */
  readonly flagOnly?: boolean;
}

/** Lets the compiler check the type of the value, and returns the type that all options share. */
export function option<K extends OptionName>(spec: Option<K>): Option {
  return spec as unknown as Option;
}

/** Returns the option with the names that plug-ins add. */
export function optionWith(spec: Option, plugIns: PlugIns): Option {
  return spec.typeWith === undefined ? spec : { ...spec, type: spec.typeWith(plugIns) };
}

/** Returns the names of the option's flags, without the dashes. */
export function flagNames({ name, negative }: Option): readonly string[] {
  const flag = flagOf(name);
  if (negative === undefined) return [flag];
  return negative.only === true ? [`no-${flag}`] : [flag, `no-${flag}`];
}
