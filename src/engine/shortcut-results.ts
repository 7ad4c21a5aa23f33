/**
 * Passes the results of a session that took the shortcut to the source ledger. Its conversation goes through the stages after
 * snapshot-select only if the settings require more than plain records, or a check may report on it.
 */

import { refusalsOfRoles } from '../../transforms/consumers/refusals.ts';
import type { SessionEnd } from '../../transforms/model/element.ts';
import { groupOf } from '../../transforms/model/group.ts';
import { knowsChecks } from '../../transforms/shortcut/shortcut-reader.ts';
import type { ShortcutSession } from '../../transforms/shortcut/shortcut-session.ts';
import type { FusedStages, PlacedStage } from '../../transforms/stage.ts';
import { placedStages } from '../../transforms/stages/index.ts';
import { snapshotSelect } from '../../transforms/stages/snapshot-select.ts';
import type { RecordResult } from '../ledger/result.ts';
import { SHORTCUT_DIALECT, type SourceLedger } from '../ledger/source-ledger.ts';
import type { TaskSettings } from '../settings/settings.ts';
import { type ChainLink, createChain, fuseChain } from './chain.ts';

/** Stages whose work the shortcut does, or whose settings `isPlain` and `handOut` look at. */
const KNOWN_STAGES: ReadonlySet<string> = new Set(['limit-parts', 'tool-dedupe', 'reasoning']);

export class ShortcutResults {
  readonly #settings: TaskSettings;
  readonly #ledger: SourceLedger;
  /** The stages after snapshot-select. */
  #stages: FusedStages | undefined;
  /** Whether the shortcut already produces the records. */
  readonly #isPlain: boolean;
  /** A longer message may have a part that is too big. */
  readonly #maxPart: number;

  constructor(settings: TaskSettings, ledger: SourceLedger) {
    this.#settings = settings;
    this.#ledger = ledger;
    this.#isPlain = knowsChecks && isPlain(settings);
    this.#maxPart = settings.maxPart === 0 ? Number.POSITIVE_INFINITY : settings.maxPart;
  }

  /** @param end the end of the conversation */
  handOut(session: ShortcutSession, end: SessionEnd): void {
    if (this.#settings.integrity) for (const finding of session.facts.findings) this.#ledger.accept(finding);
    if (!this.#isPlain || !session.isCertain || session.hasMessageOver(this.#maxPart)) {
      this.#runStages(session, end);
      return;
    }
    for (const finding of session.findings()) this.#ledger.accept(finding);
    this.#ledger.takeShortcut(session, this.#recordOf(session));
  }

  #recordOf(session: ShortcutSession): RecordResult {
    const group = groupOf(session.facts, this.#settings.groupBy);
    const shape = session.shape();
    const refusals = refusalsOfRoles(shape.roles);
    return { kind: 'record', group, format: 'chat', bytes: session.record(), shape, refusals };
  }

  #runStages(session: ShortcutSession, { kind, origin, last }: SessionEnd): void {
    this.#stages ??= fuseChain(stagesAfterSelect(createChain(this.#settings, 'file')), (element) =>
      this.#ledger.accept(element),
    );
    const { sessionId } = session.facts;
    const entries = session.places();
    const alone = session.isLeaf ? ({ alone: true } as const) : {};
    this.#stages.push(session.conversation());
    this.#stages.push({
      kind,
      origin,
      last,
      ...alone,
      dialect: SHORTCUT_DIALECT,
      sessionId,
      entries,
      fate: 'written',
    });
  }
}

function isPlain(settings: TaskSettings): boolean {
  const { format, formatOptions, meta, reasoning, integrity, consumers, plugIns } = settings;
  const isChat = format.length === 1 && format[0] === 'chat' && formatOptions.arrowSafe !== true;
  return (
    isChat &&
    reasoning === 'keep' &&
    integrity &&
    meta.length === 0 &&
    !consumers &&
    !plugIns.formats.some(({ name }) => name === 'chat') &&
    !hasUnknownWork(placedStages, settings)
  );
}

/** Returns whether one of the stages has work that the shortcut does not know: with these settings it has handlers. */
export function hasUnknownWork(stages: readonly PlacedStage[], settings: TaskSettings): boolean {
  return stages.some(
    (stage) => !KNOWN_STAGES.has(stage.name) && Object.keys(stage.create(settings)).length > 0,
  );
}

function stagesAfterSelect(chain: readonly ChainLink[]): readonly ChainLink[] {
  return chain.slice(chain.findIndex(({ name }) => name === snapshotSelect.name) + 1);
}
