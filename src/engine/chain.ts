/** Creates the stages of a run for one worker, in order, and fuses them: one call takes an element through all of them. */

import {
  cleanup,
  format,
  limitParts,
  parse,
  reasoning,
  snapshotSelect,
  supply,
  toolDedupe,
  validate,
} from '../../transforms/chain.ts';
import { formats as allFormats } from '../../transforms/formats/index.ts';
import type { StreamElement } from '../../transforms/model/element.ts';
import type { SessionIds } from '../../transforms/model/session-ids.ts';
import type { PlacedStage } from '../../transforms/plug-ins.ts';
import { defaultsOf, FusedStages, type Handlers } from '../../transforms/stage.ts';
import { checkConversations, checkEntries, checkRecords } from '../../transforms/stages/check.ts';
import { checkConsumers } from '../../transforms/stages/check-consumers.ts';
import type { BegunSource } from '../../transforms/stages/parse.ts';
import { selectFindings, selectSessions } from '../../transforms/stages/select-sessions.ts';
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

/**
 * Creates the stages, including those of plug-ins. Options of stages have the names of the settings that they take.
 * @param sessionBy whether a session is a whole source or all entries with one id
 * @param begun set if the shortcut has read the beginning of the source
 */
export function createChain(
  settings: TaskSettings,
  sessionBy: 'file' | 'id',
  begun?: SharedSource,
): readonly ChainLink[] {
  const { integrity, only, plugIns } = settings;
  const endsInCall = [...allFormats, ...plugIns.formats]
    .filter(({ name }) => settings.format.includes(name))
    .every((one) => one.endsInCall === true);
  const checked = (stage: typeof checkEntries): ChainLink[] =>
    integrity ? [{ name: stage.name, handlers: stage.create({}) }] : [];
  const selected = (stage: typeof selectSessions): ChainLink[] =>
    only === undefined ? [] : [{ name: stage.name, handlers: stage.create({ only }) }];
  const chain: readonly ChainLink[] = [
    { name: parse.name, handlers: parse.create({ ...settings, ...readingOf(settings), sessionBy, begun }) },
    ...selected(selectSessions),
    { name: cleanup.name, handlers: cleanup.create(settings) },
    {
      name: validate.name,
      handlers: validate.create({ ended: begun?.ended, strictTime: settings.strictTime }),
    },
    ...checked(checkEntries),
    { name: snapshotSelect.name, handlers: snapshotSelect.create({}) },
    { name: limitParts.name, handlers: limitParts.create(settings) },
    { name: supply.name, handlers: supply.create(settings) },
    { name: toolDedupe.name, handlers: toolDedupe.create({}) },
    { name: reasoning.name, handlers: reasoning.create(settings) },
    ...(integrity
      ? [{ name: checkConversations.name, handlers: checkConversations.create({ endsInCall }) }]
      : []),
    ...selected(selectFindings),
    { name: format.name, handlers: format.create({ ...settings, formats: plugIns.formats }) },
    ...checked(checkRecords),
    ...(settings.consumers ? [{ name: checkConsumers.name, handlers: checkConsumers.create({}) }] : []),
  ];
  const links = chain.flatMap((link) => [link, ...placedAfter(link.name, plugIns.stages)]);
  return settings.measures || settings.minRead !== undefined ? measured(links, settings.minRead) : links;
}

/** Returns the options of parse that are not settings. */
function readingOf({ reasoning: mode, meta, plugIns }: TaskSettings) {
  return {
    keepSealed: mode === 'keep-sealed',
    // plug-ins may read fields that are never written
    keepsMeta: meta.length > 0 || plugIns.stages.length > 0 || plugIns.formats.length > 0,
    dialects: plugIns.dialects,
  };
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
