/** Explains each reason for a rejection of a source, line or session. */
import { sessionReasons } from '../../transforms/formats/format-rules.ts';
import { LINE_REASONS } from '../../transforms/model/reasons.ts';
import { SOURCE_REASONS } from '../errors.ts';

export const REASONS: Readonly<Record<string, string>> = {
  ...SOURCE_REASONS,
  ...LINE_REASONS,
  ...sessionReasons,
};
