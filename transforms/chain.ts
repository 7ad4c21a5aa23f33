/** The stages of a build, in their order. docs/contributing/architecture.md shows what each takes and emits. */
import type { PlacedStage, Stage } from './stage.ts';
import { checkConversations, checkEntries, checkRecords } from './stages/check.ts';
import { checkConsumers } from './stages/check-consumers.ts';
import { cleanup } from './stages/cleanup.ts';
import { format } from './stages/format.ts';
import { placedStages } from './stages/index.ts';
import { parse } from './stages/parse.ts';
import { snapshotSelect } from './stages/snapshot-select.ts';
import { validate } from './stages/validate.ts';

/** Stages that only report: a run may do without them. */
export const reportingStages: readonly Stage[] = [
  checkEntries,
  checkConversations,
  checkRecords,
  checkConsumers,
];

/** All stages. A placed stage follows the one that it names. */
export const stages: readonly Stage[] = [
  ...[parse, cleanup, validate, checkEntries, snapshotSelect, checkConversations, format],
  ...[checkRecords, checkConsumers],
].flatMap(withFollowing);

/** The placed stages before `snapshot-select`, whose elements the shortcut does not have. */
export const earlyStages: readonly PlacedStage[] = placedStages.filter(
  (stage) => stages.indexOf(stage) < stages.indexOf(snapshotSelect),
);

function withFollowing(stage: Stage): Stage[] {
  return [stage, ...placedStages.filter(({ after }) => after === stage.name).flatMap(withFollowing)];
}
