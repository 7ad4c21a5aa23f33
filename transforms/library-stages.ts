/** The stages for use in `stream.pipeline`: those with a fixed place here, the others in a generated file. */
import { type PipelineStage, pipelineStage } from './pipeline-stage.ts';
import * as check from './stages/check.ts';
import * as ofCleanup from './stages/cleanup.ts';
import * as ofFormat from './stages/format.ts';
import * as ofParse from './stages/parse.ts';
import * as ofSelect from './stages/snapshot-select.ts';
import * as ofValidate from './stages/validate.ts';

export * from './stages/library.ts';
export const parse: PipelineStage<ofParse.ParseOptions> = pipelineStage(ofParse.parse);
export const cleanup: PipelineStage<ofCleanup.CleanupOptions> = pipelineStage(ofCleanup.cleanup);
export const validate: PipelineStage<ofValidate.ValidateOptions> = pipelineStage(ofValidate.validate);
export const checkEntries: PipelineStage<check.EntryOptions> = pipelineStage(check.checkEntries);
export const snapshotSelect: PipelineStage<ofSelect.SelectOptions> = pipelineStage(ofSelect.snapshotSelect);
export const checkConversations: PipelineStage<check.ConversationOptions> = pipelineStage(
  check.checkConversations,
);
export const format: PipelineStage<ofFormat.FormatOptions> = pipelineStage(ofFormat.format);
export const checkRecords: PipelineStage<object> = pipelineStage(check.checkRecords);
