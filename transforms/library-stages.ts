/** Exports the stages for use in `stream.pipeline`, in their order. */
import * as chain from './chain.ts';
import { type PipelineStage, pipelineStage } from './pipeline-stage.ts';
import * as check from './stages/check.ts';
import type { CleanupOptions } from './stages/cleanup.ts';
import type { FormatOptions } from './stages/format.ts';
import type { LimitPartsOptions } from './stages/limit-parts.ts';
import type { ParseOptions } from './stages/parse.ts';
import type { ReasoningOptions } from './stages/reasoning.ts';
import type { ValidateOptions } from './stages/validate.ts';

export const parse: PipelineStage<ParseOptions> = pipelineStage(chain.parse);
export const cleanup: PipelineStage<CleanupOptions> = pipelineStage(chain.cleanup);
export const validate: PipelineStage<ValidateOptions> = pipelineStage(chain.validate);
export const checkEntries: PipelineStage<object> = pipelineStage(check.checkEntries);
export const snapshotSelect: PipelineStage<object> = pipelineStage(chain.snapshotSelect);
export const limitParts: PipelineStage<LimitPartsOptions> = pipelineStage(chain.limitParts);
export const toolDedupe: PipelineStage<object> = pipelineStage(chain.toolDedupe);
export const reasoning: PipelineStage<ReasoningOptions> = pipelineStage(chain.reasoning);
export const checkConversations: PipelineStage<check.ConversationOptions> = pipelineStage(
  check.checkConversations,
);
export const format: PipelineStage<FormatOptions> = pipelineStage(chain.format);
export const checkRecords: PipelineStage<object> = pipelineStage(check.checkRecords);
