/** Reports messages whose role is none of the known ones: dialects that copy messages copy any role. */
import { isRole, unknownSpeaker } from '../model/known-roles.ts';
import type { ConversationCheck, Found } from './check.ts';

const knownRoles: ConversationCheck = {
  name: 'known-roles',
  summary: 'Messages whose role is none of those that trainers know.',
  rules: ['unknown-speaker'],
  on: 'conversation',
  check: ({ messages }) =>
    messages.flatMap(({ role }, at): readonly Found[] =>
      isRole(role)
        ? []
        : [{ rule: 'unknown-speaker', severity: 'ERROR', message: unknownSpeaker(`messages[${at}]`) }],
    ),
};

export default knownRoles;
