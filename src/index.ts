/** The library: the main job, its stages to compose in `stream.pipeline`, and the types of what crosses them. */
export { checkConversations, checkEntries, checkRows } from '../transforms/check.ts';
export type { Check, Found } from '../transforms/checks/check.ts';
export { checks } from '../transforms/checks/index.ts';
export { ruleSets } from '../transforms/cleanup.ts';
export type { ProtocolCall } from '../transforms/dialects/call-object.ts';
export { migrateMessage, type StoredMessage } from '../transforms/dialects/chat-message.ts';
export {
  buildConversationHistory,
  type HistoryOptions,
} from '../transforms/dialects/conversation-history.ts';
export type {
  Dialect,
  DialectReader,
  ObjectMembers,
  ReadingOptions,
} from '../transforms/dialects/dialect.ts';
export { dialects } from '../transforms/dialects/index.ts';
export { stripLeakedHeaders } from '../transforms/dialects/said-text.ts';
export {
  gradingContext,
  type Sample,
  SampleError,
  type SampleMessage,
  validateSample,
} from '../transforms/dialects/sample.ts';
export { formatToolActivity, getActivityLine } from '../transforms/dialects/tool-activity.ts';
export { extractToolCall, stripToolBlocks } from '../transforms/dialects/tool-blocks.ts';
export type * from '../transforms/element.ts';
export type { EncodedRow, Format, FormatFinding } from '../transforms/formats/format.ts';
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
export { GROUPINGS, type Grouping } from '../transforms/group.ts';
export {
  cleanup,
  format,
  parse,
  reasoning,
  snapshotSelect,
  toolDedupe,
  validate,
} from '../transforms/index.ts';
export { contentOf, memberValue, textOf, toolCallsOf } from '../transforms/message.ts';
export { LINE_REASONS, rejectLine, rejectSession, SESSION_REASONS } from '../transforms/rejection.ts';
export { rules } from '../transforms/rules/index.ts';
export type { Rule } from '../transforms/rules/rule.ts';
export {
  apply,
  defaultsOf,
  fuse,
  type Handlers,
  type OptionSpec,
  type OptionSpecs,
  type Stage,
} from '../transforms/stage.ts';
export { type ElementCounts, type StageChunk, StageStream } from '../transforms/stage-stream.ts';
export { type ErrorCode, SourceFault, type SourceReason, TurnmillError } from './errors.ts';
export { type ReadOptions, readElements } from './pipeline/elements.ts';
export { explainLine, type Question } from './pipeline/explain.ts';
export { FRAMING, type Inspection, inspect } from './pipeline/inspect.ts';
export type { LedgerSums } from './pipeline/ledger.ts';
export type { Explanation, FindingNote } from './pipeline/line-trail.ts';
export { type QuarantineRecord, readQuarantine } from './pipeline/quarantine-records.ts';
export { type Replayed, type ReplayRequest, replayQuarantine } from './pipeline/replay-quarantine.ts';
export { build, check, type RunHooks, type RunProgress, type RunSummary } from './pipeline/run.ts';
export {
  type ConversionSettings,
  DEFAULT_SETTINGS,
  resolveSettings,
  type Settings,
} from './pipeline/settings.ts';
export { LineWriter, type LineWriterOptions } from './sinks/line-writer.ts';
export { ShardWriter, type ShardWriterOptions } from './sinks/shard-writer.ts';
export type { ShardInfo } from './sinks/shards.ts';
export type { Input, StreamSource } from './sources/stream-source.ts';
export { type VerifyResult, verifyDataset } from './verify/verify-dataset.ts';
