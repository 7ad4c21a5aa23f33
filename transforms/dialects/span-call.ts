/** The model call that a span describes. */
import type { ToolDefinition } from '../model/element.ts';
import type { Meta } from '../model/meta.ts';

export interface LoggedCall {
  readonly hasReply: boolean;
  readonly tools: readonly ToolDefinition[];
  readonly session: string | undefined;
  readonly meta: Meta;
}

/** A call without its session. */
export type SpokenCall = Omit<LoggedCall, 'session'>;
