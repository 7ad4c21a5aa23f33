/** Rule `unknown-role` of formats that write messages as they are, for consumers that refuse any other role. */
import type { Message } from '../model/element.ts';
import { isRole } from '../model/known-roles.ts';
import type { Report } from './tool-arguments.ts';

/** Reports the first message whose role no consumer knows. */
export function reportUnknownRoles(messages: readonly Message[], report: Report): void {
  const at = messages.findIndex(({ role }) => !isRole(role));
  if (at < 0) return;
  const message = `messages[${at}] has a role that is none of those that consumers know`;
  report({ rule: 'unknown-role', severity: 'ERROR', message, rejects: true });
}
