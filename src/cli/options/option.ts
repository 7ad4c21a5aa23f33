/** An option, specified once: its flag, its help, its key in a configuration file and its checks come from here. */
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
  onMiss: 'stop' | 'tell';
  prompt: 'messages' | 'astracodex';
  keyEnv: string;
  prefer: 'recorded';
  allowEmpty: boolean;
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
  maxElements: number;
  maxConversation: number;
  maxSources: number;
  maxDecompressed: number;
  maxRatio: number;
  limit: number;
  cleanup: readonly string[];
  format: readonly string[];
  /** Options of the formats, by the names that the formats give them. */
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

/** The headings of the help, in their order. */
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

/** Throws with what is wrong with a value; the caller adds the name of the option. */
export type Refuse = (problem: string) => never;

/** How a value is written on the command line and in a configuration file. */
export interface ValueType<T> {
  /** The value in the help, such as FILE; undefined for a flag, which takes none. */
  readonly placeholder: string | undefined;
  /** Values that the help lists after the description, when there are too many for the placeholder. */
  readonly choices?: readonly string[];
  /** The flag may be repeated. */
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
  /** There is a flag `--no-NAME`, which sets this value; with `only`, there is no flag `--NAME`. */
  readonly negative?: { readonly describe: string; readonly value: OptionValues[K]; readonly only?: boolean };
  /** When this other option is there too, the value may be left out: it is the other option's. */
  readonly beside?: OptionName;
  /** How the value is read beside `--plugin`. */
  readonly typeWith?: (plugIns: PlugIns) => ValueType<OptionValues[K]>;
  /** Its value is one of `formatOptions`. */
  readonly ofFormat?: true;
  /** The value may also be in the environment, as TURNMILL_ and the flag's name. */
  readonly fromEnvironment?: boolean;
  /** Not allowed in a configuration file. */
  readonly flagOnly?: boolean;
}

/** Checks that the type of the option fits its value; the result is one type for all options. */
export function option<K extends OptionName>(spec: Option<K>): Option {
  return spec as unknown as Option;
}

/** The option beside plug-ins. */
export function optionWith(spec: Option, plugIns: PlugIns): Option {
  return spec.typeWith === undefined ? spec : { ...spec, type: spec.typeWith(plugIns) };
}

/** Its flags, without the dashes. */
export function flagNames({ name, negative }: Option): readonly string[] {
  const flag = flagOf(name);
  if (negative === undefined) return [flag];
  return negative.only === true ? [`no-${flag}`] : [flag, `no-${flag}`];
}
