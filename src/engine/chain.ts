/** Creates the stages of a run for one worker, in order, and fuses them: one call takes an element through all of them. */

import { reportingStages, stages } from '../../transforms/chain.ts';
import { formats as allFormats } from '../../transforms/formats/index.ts';
import type { StreamElement } from '../../transforms/model/element.ts';
import type { SessionIds } from '../../transforms/model/session-ids.ts';
import {
  defaultsOf,
  FusedStages,
  type Handlers,
  type PlacedStage,
  type Stage,
} from '../../transforms/stage.ts';
import { checkConversations } from '../../transforms/stages/check.ts';
import { checkConsumers } from '../../transforms/stages/check-consumers.ts';
import { format } from '../../transforms/stages/format.ts';
import { type BegunSource, type ParseOptions, parse } from '../../transforms/stages/parse.ts';
import { selectFindings, selectSessions } from '../../transforms/stages/select-sessions.ts';
import { validate } from '../../transforms/stages/validate.ts';
import type { TaskSettings } from '../settings/settings.ts';
import { measured } from './measure.ts';

/** A stage of a run, created for one worker. */
export interface ChainLink {
  readonly name: string;
  readonly handlers: Handlers;
}

/** State that the stages share with the shortcut that has read the beginning of a source of many sessions. */
export interface SharedSource extends BegunSource {
  /** Ids of its sessions that have ended. */
  readonly ended: SessionIds;
}

/** How lines become sessions: all lines of a source, or each run of entries with one id. */
export type ChainSessions = 'file' | 'run';

/** Creates the first stage. */
export const createParse = (
  settings: TaskSettings,
  sessionBy: ChainSessions,
  begun: BegunSource | undefined,
): Handlers => parse.create(parseOptions(settings, sessionBy, begun));

/**
 * Creates the stages, including those of plug-ins. Options of stages have the names of the settings that they take.
 * @param begun set if the shortcut has read the beginning of the source
 */
export function createChain(
  settings: TaskSettings,
  sessionBy: ChainSessions,
  begun?: SharedSource,
): readonly ChainLink[] {
  const { only, select, plugIns } = settings;
  const options = optionsOf(settings, sessionBy, begun);
  const selected = (stage: typeof selectSessions): ChainLink[] =>
    only === undefined ? [] : [{ name: stage.name, handlers: stage.create({ only, select }) }];
  const chain = stages
    .filter((stage) => isOn(stage, settings))
    .flatMap((stage): readonly ChainLink[] => [
      ...(stage === format ? selected(selectFindings) : []),
      { name: stage.name, handlers: stage.create(options.get(stage) ?? settings) },
      ...(stage === parse ? selected(selectSessions) : []),
    ]);
  const links = chain.flatMap((link) => [link, ...placedAfter(link.name, plugIns.stages)]);
  return settings.measures || settings.minRead !== undefined ? measured(links, settings.minRead) : links;
}

function isOn(stage: Stage, { integrity, consumers }: TaskSettings): boolean {
  if (stage === checkConsumers) return consumers;
  return integrity || !reportingStages.includes(stage);
}

/** Returns the options of the stages that take more than settings. */
function optionsOf(
  settings: TaskSettings,
  sessionBy: ChainSessions,
  begun: SharedSource | undefined,
): ReadonlyMap<Stage, object> {
  const { formats } = settings.plugIns;
  const endsInCall = [...allFormats, ...formats]
    .filter(({ name }) => settings.format.includes(name))
    .every((one) => one.endsInCall === true);
  return new Map<Stage, object>([
    [parse, parseOptions(settings, sessionBy, begun)],
    [validate, { ...settings, ended: begun?.ended }],
    [checkConversations, { endsInCall }],
    [format, { ...settings, formats }],
  ]);
}

function parseOptions(
  settings: TaskSettings,
  sessionBy: ChainSessions,
  begun: BegunSource | undefined,
): ParseOptions {
  const { reasoning: mode, plugIns } = settings;
  const keepsMeta = needsMeta(settings);
  const { dialects } = plugIns;
  return { ...settings, keepSealed: mode === 'keep-sealed', keepsMeta, dialects, sessionBy, begun };
}

function needsMeta({ format: names, meta, plugIns: { formats, stages: placed } }: TaskSettings): boolean {
  if (meta.some((name) => name !== 'model')) return true;
  // plug-ins may read fields that are never written
  if (placed.length > 0 || formats.length > 0) return true;
  return allFormats.some(({ name, readsMeta }) => readsMeta === true && names.includes(name));
}

/** Returns the plug-in stages to run after a built-in one, in order. */
function placedAfter(place: string, stages: readonly PlacedStage[]): readonly ChainLink[] {
  return stages
    .filter(({ after }) => after === place)
    .map((stage) => ({ name: stage.name, handlers: stage.create(defaultsOf(stage.options)) }));
}

/** @param isFull whether to stop in the middle of an element (stage.ts) */
export function fuseChain(
  chain: readonly ChainLink[],
  emit: (element: StreamElement) => void,
  isFull?: () => boolean,
): FusedStages {
  return new FusedStages(
    chain.map(({ handlers }) => handlers),
    emit,
    isFull,
  );
}
