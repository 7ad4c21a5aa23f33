/** Finds encrypted reasoning where the AI SDK and its clients keep it: with a part, in the options of its provider. */
import type { JsonView } from '../../json/json-view.ts';
import { type FoldBlock, sealedBlock } from '../fold/assistant-draft.ts';
import { firstOf } from './logged-values.ts';

const OPTIONS = ['providerOptions', 'providerMetadata', 'callProviderMetadata', 'metadata'] as const;
const SEALS = ['reasoningEncryptedContent', 'redactedData', 'thoughtSignature'] as const;

/** The encrypted reasoning in a part's options. A signature seals a thought only if that has no text. */
export function sealedOptions(part: JsonView): Extract<FoldBlock, { readonly kind: 'sealed' }>[] {
  const seals = part.textOf('text') === '' ? [...SEALS, 'signature'] : SEALS;
  return OPTIONS.flatMap((key) => part.get(key)?.members() ?? []).flatMap(([, provider]) => {
    const details = provider.get('reasoning_details')?.elements() ?? [];
    const data = [firstOf(provider, ...seals), ...details.map((detail) => detail.get('data'))];
    return data.flatMap((seal) =>
      seal?.type === 'string' && !seal.isEmptyText ? [sealedBlock(seal.copy())] : [],
    );
  });
}
