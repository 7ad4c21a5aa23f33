/** Reports assistant messages with `function_call`, which trainers no longer read. */

import { hasFunctionCall } from '../model/assistant-calls.ts';
import type { Conversation } from '../model/element.ts';
import type { ConversationCheck, Found } from './check.ts';

function check({ messages }: Conversation): readonly Found[] {
  const found: Found[] = [];
  messages.forEach((message, index) => {
    if (message.role !== 'assistant' || !hasFunctionCall(message)) return;
    const text = `messages[${index}] has a function_call, the form before tool_calls`;
    found.push({ rule: 'legacy-function-call', severity: 'ERROR', message: text });
  });
  return found;
}

const legacyFunctionCall: ConversationCheck = {
  name: 'legacy-function-call',
  summary: 'Assistant messages with a function_call instead of tool_calls.',
  rules: ['legacy-function-call'],
  on: 'conversation',
  check,
};

export default legacyFunctionCall;
