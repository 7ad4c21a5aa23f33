/** Plug-ins of a run: objects from the caller, or ES modules that worker threads load too. */
import { pathToFileURL } from 'node:url';
import { reportingStages, stages } from '../../transforms/chain.ts';
import { dialectFrom } from '../../transforms/dialects/define-dialect.ts';
import type { Dialect } from '../../transforms/dialects/dialect.ts';
import type { DialectSpec } from '../../transforms/dialects/dialect-spec.ts';
import { dialects } from '../../transforms/dialects/index.ts';
import type { Format } from '../../transforms/formats/format.ts';
import { formats } from '../../transforms/formats/index.ts';
import type { PlugIns } from '../../transforms/plug-ins.ts';
import type { OptionSpec, PlacedStage } from '../../transforms/stage.ts';
import { systemWords, TurnmillError } from '../errors.ts';
import { NotOwnFile, readOwnFile } from '../own-file.ts';
import { sha256 } from '../sha256.ts';
import { importModule } from './import-module.ts';
import { ownedFormat } from './plug-in-format.ts';
import { ownedStage } from './plug-in-stage.ts';

export interface PlugInFile {
  readonly path: string;
  readonly sha256: string;
}

export interface RunPlugIns extends PlugIns {
  readonly files: readonly PlugInFile[];
  /** Whether the caller passed some of them as objects, which cannot be posted to another thread. */
  readonly hasObjects: boolean;
}

/** Plug-ins as the caller of the library passes them. */
export interface PlugInObjects {
  readonly dialects?: readonly Dialect[] | undefined;
  readonly formats?: readonly Format[] | undefined;
  readonly stages?: readonly PlacedStage[] | undefined;
}

type Kind = keyof PlugIns;
type Shape = Readonly<Record<string, unknown>>;

const MAX_BYTES = 16 * 1024 * 1024;
const OPTION_NAME = /^[a-z][A-Za-z0-9]*$/;
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** Order in which the kinds are tried: stages first, because a dialect has a `create` too. */
const KINDS: readonly Kind[] = ['stages', 'dialects', 'formats'];
/** The stages that a stage can follow: those that every run has. */
const CHAIN: readonly string[] = stages
  .filter((stage) => !reportingStages.includes(stage))
  .map(({ name }) => name);
const TAKEN: Readonly<Record<Kind, readonly string[]>> = {
  dialects: ['auto', ...dialects.map(({ name }) => name)],
  formats: formats.map(({ name }) => name),
  stages: ['framing', ...stages.map(({ name }) => name), 'source'],
};

export const NO_RUN_PLUG_INS: RunPlugIns = {
  dialects: [],
  formats: [],
  stages: [],
  files: [],
  hasObjects: false,
};

/**
 * Loads and checks plug-in files.
 * @param files paths of ES modules
 * @throws TurnmillError `usage`, with the name of the file
 */
export async function loadPlugIns(files: readonly string[]): Promise<RunPlugIns> {
  let all = NO_RUN_PLUG_INS;
  for (const path of files) {
    const file = { path, sha256: sha256(readPlugIn(path)) };
    all = merge(all, { ...(await importPlugIns(file)), files: [file], hasObjects: false }, path);
  }
  return all;
}

/**
 * Loads the files again, in a worker thread.
 * @throws TurnmillError `usage` if one has changed since
 */
export async function reloadPlugIns(files: readonly PlugInFile[]): Promise<RunPlugIns> {
  const loaded = await loadPlugIns(files.map(({ path }) => path));
  files.forEach((file, i) => {
    if (loaded.files[i]?.sha256 !== file.sha256) fail(file.path, 'it changed while the run was using it');
  });
  return loaded;
}

/** Returns the part that can be posted to another thread: the files, which are loaded again there. */
export function filesOnly({ files }: RunPlugIns): RunPlugIns {
  return { ...NO_RUN_PLUG_INS, files };
}

/** Returns whether code of others runs. */
export const hasPlugIns = ({ dialects, formats, stages }: PlugIns): boolean =>
  dialects.length + formats.length + stages.length > 0;

/** Adds the plug-ins that the caller passed as objects. @throws TurnmillError `usage` */
export function withObjects(loaded: RunPlugIns, objects: PlugInObjects): RunPlugIns {
  const where = 'the settings';
  const own: PlugIns = {
    dialects: (objects.dialects ?? []).map((plugIn) => checked('dialects', plugIn, where)),
    formats: (objects.formats ?? []).map((plugIn) => checked('formats', plugIn, where)),
    stages: (objects.stages ?? []).map((plugIn) => checked('stages', plugIn, where)),
  };
  const hasObjects = loaded.hasObjects || KINDS.some((kind) => own[kind].length > 0);
  return merge(loaded, { ...own, files: [], hasObjects }, where);
}

function readPlugIn(path: string): Uint8Array {
  try {
    return readOwnFile(path, MAX_BYTES);
  } catch (error) {
    if (error instanceof NotOwnFile) return fail(path, `it is ${error.kind}, not a regular file`);
    if (error instanceof TurnmillError) return fail(path, `it is longer than ${MAX_BYTES} bytes`);
    const { code } = error as NodeJS.ErrnoException;
    return fail(
      path,
      code === 'ENOENT' ? 'there is no such file' : `it cannot be read: ${systemWords(error)}`,
      error,
    );
  }
}

/** Imports a module. Its hash is the query, so that a process that loads a changed module gets the new one. */
async function importPlugIns({ path, sha256: hash }: PlugInFile): Promise<PlugIns> {
  const url = pathToFileURL(path);
  url.search = `sha256=${hash}`;
  let module: Shape;
  try {
    module = (await importModule(url.href)) as Shape;
  } catch (error) {
    return fail(path, `it cannot be loaded: ${String(error)}`, error);
  }
  const plugIns: { [K in Kind]: PlugIns[K][number][] } = { dialects: [], formats: [], stages: [] };
  const add = <K extends Kind>(kind: K, plugIn: unknown, name: string): void => {
    plugIns[kind].push(checked(kind, plugIn, path, name));
  };
  if (module.default !== undefined) {
    for (const plugIn of [module.default].flat()) {
      const kind = KINDS.find((known) => isOf(known, plugIn));
      if (kind === undefined) return fail(path, notPlugIn('default'));
      add(kind, plugIn, 'default');
    }
  }
  for (const kind of KINDS) {
    const list = module[kind];
    if (list === undefined) continue;
    if (!Array.isArray(list)) return fail(path, `its export '${kind}' is not a list`);
    for (const plugIn of list) add(kind, plugIn, kind);
  }
  if (KINDS.every((kind) => plugIns[kind].length === 0))
    return fail(
      path,
      "it exports no plug-in: export one as default, or lists named 'dialects', 'formats' or 'stages'",
    );
  return plugIns;
}

function isOf(kind: Kind, plugIn: unknown): boolean {
  if (typeof plugIn !== 'object' || plugIn === null) return false;
  const { after, create, detect, read, encode } = plugIn as Shape;
  if (kind === 'stages') return after !== undefined && typeof create === 'function';
  if (kind === 'formats') return typeof encode === 'function';
  return typeof detect === 'function' && [create, read].some((member) => typeof member === 'function');
}

/** Checks a plug-in and fills in its defaults; turns the description of a dialect into the dialect. */
function checked<K extends Kind>(
  kind: K,
  plugIn: unknown,
  where: string,
  from: string = kind,
): PlugIns[K][number] {
  if (!isOf(kind, plugIn)) return fail(where, notPlugIn(from));
  const { name, summary, after } = plugIn as Shape;
  if (typeof name !== 'string' || !NAME.test(name))
    return fail(
      where,
      `the name ${shown(name)} of a plug-in may contain only lower-case letters, digits and hyphens`,
    );
  if (typeof summary !== 'string') return fail(where, `the plug-in '${name}' has no summary`);
  if (kind === 'dialects')
    return (
      'create' in (plugIn as object)
        ? plugIn
        : dialectFrom(plugIn as DialectSpec, (problem) => fail(where, problem))
    ) as never;
  if (kind === 'formats') {
    const format: Format = Object.assign({ rules: [], otherContent: '', options: {} }, plugIn as Format);
    checkOptions(format, where);
    return ownedFormat(format) as never;
  }
  if (!CHAIN.includes(String(after)))
    return fail(
      where,
      `the stage '${name}' has to follow ${shown(after)}, which is not one of ${CHAIN.join(', ')}`,
    );
  return ownedStage(Object.assign({ options: {} }, plugIn as PlacedStage)) as never;
}

/** Checks the options, which become flags and keys of a configuration file. */
function checkOptions({ name, options }: Format, where: string): void {
  for (const [key, spec] of Object.entries(options as Readonly<Record<string, Shape | undefined>>)) {
    const { describe, default: value, choices = [] } = spec ?? {};
    const isValue = typeof value === 'boolean' || typeof value === 'string';
    if (!OPTION_NAME.test(key) || typeof describe !== 'string' || !isValue || !Array.isArray(choices))
      fail(
        where,
        `the option ${shown(key)} of the format '${name}' needs a name in camelCase, a text (describe), and a default that is a boolean or a string`,
      );
  }
}

const notPlugIn = (from: string): string =>
  `its export '${from}' is not a plug-in: a dialect has name, summary, detect and read; a format name, summary and encode; a stage name, summary, after and create`;

const shown = (value: unknown): string => `'${String(value)}'`;

/** Merges two sets of plug-ins. @throws TurnmillError `usage` if a name is taken */
function merge(some: RunPlugIns, more: RunPlugIns, where: string): RunPlugIns {
  for (const kind of KINDS) {
    const taken = new Set([...TAKEN[kind], ...some[kind].map(({ name }) => name)]);
    for (const { name } of more[kind]) {
      if (taken.has(name))
        fail(where, `there is already a ${kind.slice(0, -1)} '${name}': choose another name`);
      taken.add(name);
    }
  }
  const ownFormats = [...some.formats, ...more.formats];
  const clash = clashingOption([...formats, ...ownFormats]);
  if (clash !== undefined)
    fail(where, `another format's option '${clash}' has values of another type: choose another name`);
  return {
    dialects: [...some.dialects, ...more.dialects],
    formats: ownFormats,
    stages: [...some.stages, ...more.stages],
    files: [...some.files, ...more.files],
    hasObjects: some.hasObjects || more.hasObjects,
  };
}

/** Finds an option that is a flag in one format and takes a text in another. */
function clashingOption(known: readonly Format[]): string | undefined {
  const types = new Map<string, string>();
  for (const { options } of known) {
    for (const [name, { default: value }] of Object.entries(
      options as Readonly<Record<string, OptionSpec<unknown>>>,
    )) {
      if ((types.get(name) ?? typeof value) !== typeof value) return name;
      types.set(name, typeof value);
    }
  }
  return undefined;
}

function fail(where: string, problem: string, cause?: unknown): never {
  throw new TurnmillError('usage', `plug-in ${where}: ${problem}`, { subject: where, cause });
}
