/** Recognises prompts that hold a whole conversation, as a chat template writes it for a model that completes texts. */
import type { JsonView } from '../../json/json-view.ts';

/** Whether a text is a conversation that a chat template wrote, up to where the model's answer begins. */
export function isTemplated(view: JsonView): boolean {
  const text = view.text() ?? '';
  const end = text.slice(-TEMPLATE_END);
  return ANSWER_BEGINS.test(end) || (NAMED_ANSWER.test(end) && NAMED_QUESTION.test(text));
}

const TEMPLATE_END = 100;
/** ChatML, Llama, Mistral, DeepSeek, Gemma, gpt-oss, Phi and GLM, Granite, Kimi, Cohere, Alpaca. */
const ANSWER_BEGINS =
  /(?:<\|im_start\|>assistant|<\|start_header_id\|>assistant<\|end_header_id\|>|<\|header_start\|>assistant<\|header_end\|>|\[\/INST\]|<｜Assistant｜>|<start_of_turn>model|<\|start\|>assistant(?:<\|channel\|>\w+<\|message\|>)?|<\|assistant\|>|<\|start_of_role\|>assistant<\|end_of_role\|>|<\|im_assistant\|>assistant<\|im_middle\|>|<\|CHATBOT_TOKEN\|>|### (?:Response|Assistant):)\s{0,4}(?:<think>\s{0,4})?(?:<\/think>\s{0,4})?$/;
/** Templates with names: of Claude 2, Vicuna and LangChain. */
const NAMED_ANSWER = /\s(?:Assistant|ASSISTANT|AI):\s{0,4}$/;
const NAMED_QUESTION = /(?:^|\s)(?:Human|User|USER): /;
