/**
 * The library: the jobs, the stages for use in `stream.pipeline`, and the types of the elements that pass between
 * them.
 */

export type { Check, Found } from '../transforms/checks/check.ts';
export { checks } from '../transforms/checks/index.ts';
export { defineDialect } from '../transforms/dialects/define-dialect.ts';
export type {
  Dialect,
  DialectReader,
  LineObjects,
  ObjectMembers,
  ReadElement,
  ReadingOptions,
} from '../transforms/dialects/dialect.ts';
export type {
  DialectSpec,
  EntryFields,
  FirstObject,
  ReadContext,
} from '../transforms/dialects/dialect-spec.ts';
export { dialects } from '../transforms/dialects/index.ts';
export {
  gradingContext,
  type Sample,
  SampleError,
  type SampleMessage,
  validateSample,
} from '../transforms/dialects/samples/sample.ts';
export { stripLeakedHeaders } from '../transforms/dialects/text-protocol/agent-text.ts';
export type { ProtocolCall } from '../transforms/dialects/text-protocol/call-object.ts';
export { migrateMessage, type StoredMessage } from '../transforms/dialects/text-protocol/chat-message.ts';
export {
  buildConversationHistory,
  type HistoryOptions,
} from '../transforms/dialects/text-protocol/conversation-history.ts';
export {
  type MessageSegment,
  parseMessageSegments,
  type TextSegment,
  type ThinkSegment,
  type ToolSegment,
} from '../transforms/dialects/text-protocol/message-segments.ts';
export { formatToolActivity, getActivityLine } from '../transforms/dialects/text-protocol/tool-activity.ts';
export { extractToolCall, stripToolBlocks } from '../transforms/dialects/text-protocol/tool-blocks.ts';
export type { EncodedRecord, Format, FormatFinding, OwnRule } from '../transforms/formats/format.ts';
export { sessionReasons as SESSION_REASONS } from '../transforms/formats/format-rules.ts';
export { formats } from '../transforms/formats/index.ts';
export { TeachingError, type TeachingFault } from '../transforms/formats/teaching-error.ts';
export type { TeachingLayout, TeachingParameter } from '../transforms/formats/teaching-layout.ts';
export {
  anthropicToFunctionGemma,
  extractTeachingTurn,
  formatFunctionCall,
  formatGemmaConversation,
  type TeachingTurn,
  wrapAsJsonl,
} from '../transforms/formats/teaching-turn.ts';
export { type JsonType, JsonView } from '../transforms/json/json-view.ts';
export * from '../transforms/library-stages.ts';
export type * from '../transforms/model/element.ts';
export { GROUPINGS, type Grouping } from '../transforms/model/group.ts';
export { contentOf, memberValue, textOf, toolCallsOf } from '../transforms/model/message.ts';
export { LINE_REASONS } from '../transforms/model/reasons.ts';
export { rejectLine, rejectSession } from '../transforms/model/rejection.ts';
export type { PipelineStage } from '../transforms/pipeline-stage.ts';
export type { PlugIns } from '../transforms/plug-ins.ts';
export { rules } from '../transforms/rules/index.ts';
export type { Rule } from '../transforms/rules/rule.ts';
export {
  apply,
  fuse,
  type Handlers,
  type OptionSpec,
  type OptionSpecs,
  type PlacedStage,
  type Stage,
} from '../transforms/stage.ts';
export { type StageChunk, StageStream } from '../transforms/stage-stream.ts';
export { ruleSets } from '../transforms/stages/cleanup.ts';
export { LineWriter, type LineWriterOptions } from './dataset/line-writer.ts';
export type { LedgerSums } from './dataset/schema/reports.ts';
export { ShardWriter, type ShardWriterOptions } from './dataset/shard-writer.ts';
export type { ShardInfo } from './dataset/shards.ts';
export { type ErrorCode, SourceFault, type SourceReason, TurnmillError } from './errors.ts';
export type { Input, StreamSource } from './input/sources/stream-source.ts';
export { build, check } from './job/build.ts';
export { explainLine, type Question } from './job/explain.ts';
export type { RunHooks, RunProgress } from './job/hooks.ts';
export { FRAMING, type Inspection, inspect } from './job/inspect.ts';
export type { Explanation, FindingNote } from './job/line-trail.ts';
export { type MergeRequest, merge, missingSlices } from './job/merge.ts';
export { type QuarantineRecord, readQuarantine } from './job/quarantine-records.ts';
export { type ReadOptions, read } from './job/read.ts';
export { type Replayed, type ReplayRequest, replayQuarantine } from './job/replay.ts';
export { type EndpointOptions, endpoint } from './loop/endpoint.ts';
export {
  type Continuation,
  type Divergence,
  eachTurn,
  type LoopEnd,
  type LoopOptions,
  type LoopReport,
  type Model,
  ModelFault,
  type Reply,
  recordedReplies,
  runLoop,
} from './loop/run-loop.ts';
export type { Call, LoopMessage, LoopRecord, RecordedCall } from './loop/tape.ts';
export type { BuildRequest } from './settings/plug-in-files.ts';
export { loadPlugIns } from './settings/plug-ins.ts';
export {
  DEFAULT_SETTINGS,
  resolveSettings,
  type Settings,
} from './settings/settings.ts';
export { type VerifyResult, verifyDataset } from './verify/verify-dataset.ts';
