/** The stages as the library offers them: functions that return a Node Transform, for `stream.pipeline`. */
import { isObject } from './model/message.ts';
import { defaultsOf, type Handlers, type OptionSpec, type OptionSpecs, type Stage } from './stage.ts';
import { callOf, StageStream } from './stage-stream.ts';

/** @typeParam Options all options of the stage; those that are left out have their defaults */
export interface PipelineStage<Options extends object> {
  (options?: Partial<Options>): StageStream;
  readonly name: string;
  readonly summary: string;
  readonly options: OptionSpecs<Options>;
  /** Creates the handlers alone, for `fuse` and `apply`. */
  create(options?: Partial<Options>): Handlers;
}

export function pipelineStage<Options extends object>(stage: Stage<Options>): PipelineStage<Options> {
  const { name, summary, options: specs } = stage;
  const create = (options: Partial<Options> = {}): Handlers =>
    stage.create({ ...defaultsOf(specs), ...checkedOptions(options, specs, callOf(name)) });
  const call = (options?: Partial<Options>): StageStream => new StageStream(create(options), stage);
  Object.defineProperty(call, 'name', { value: name });
  return Object.assign(call, { summary, options: specs, create });
}

/**
 * The options that are set.
 * @throws TypeError if the stage does not have one, or cannot use its value
 */
function checkedOptions<Options extends object>(
  options: Partial<Options>,
  specs: OptionSpecs<Options>,
  call: string,
): Partial<Options> {
  if (!isObject(options))
    throw new TypeError(`${call} takes an object with options, but got ${words(options)}`);
  const set = new Map(Object.entries(options).filter(([, value]) => value !== undefined));
  for (const [key, value] of set) {
    if (!Object.hasOwn(specs, key))
      throw new TypeError(
        `${call} has no option '${key}'; it has ${Object.keys(specs).join(', ') || 'none'}`,
      );
    const spec = specs[key as keyof Options];
    const expected = unmet(value, spec);
    if (expected !== undefined)
      throw new TypeError(`${call} takes ${expected} for ${key}, but got ${words(value)}`);
    if (Array.isArray(spec.default)) set.set(key, [value].flat());
  }
  return Object.fromEntries(set) as Partial<Options>;
}

/** Names the values that the option takes, if this is not one of them. */
function unmet(value: unknown, { choices, default: usual, fromFile, takes }: OptionSpec<unknown>) {
  if (choices !== undefined) return choices.includes(value) ? undefined : `one of ${choices.join(', ')}`;
  if (takes === 'number' || typeof usual === 'number')
    return Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : 'a whole number';
  if (takes === 'text' || fromFile === true || typeof usual === 'string')
    return typeof value === 'string' ? undefined : 'a text';
  if (takes === 'list') return Array.isArray(value) ? undefined : 'a list';
  if (typeof usual === 'boolean') return typeof value === 'boolean' ? undefined : 'true or false';
  if (Array.isArray(usual)) {
    const isOne = typeof value === 'string' && typeof usual[0] === 'string';
    return isOne || Array.isArray(value) ? undefined : 'a list';
  }
  return usual === undefined || isObject(value) ? undefined : 'an object';
}

function words(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return `'${value}'`;
  return isObject(value) ? 'an object' : String(value);
}
