/**
 * Dialect `runs`: trajectories of agent benchmarks, each a whole conversation: SWE-agent (`.traj`), mini-swe-agent,
 * tau-bench, tau2, and published lists of their messages. A source of bare messages is one conversation.
 */
import type { JsonView } from '../json/json-view.ts';
import type { LineFate } from '../model/element.ts';
import { words } from '../model/words.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { FirstObject, ReadContext } from './dialect-spec.ts';
import { RunsSource } from './runs/source.ts';

const ROLES: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant']);
/** Members of messages in other logs; a bare message has none of them. */
const NOT_BARE = ['ts', 'stop_reason', 'usage', 'created', 'response'];

function isBareMessage(first: FirstObject): boolean {
  const role = first.get('role')?.text();
  if (role === 'session_meta' && first.get('tools')?.type === 'array') return true;
  const isKnown = role !== undefined && ROLES.has(role) && first.get('content') !== undefined;
  const type = first.get('type');
  // an answer with this type may be a response of the Messages API
  const isItem = type?.text() === 'message' && role !== 'assistant' && first.get('timestamp') === undefined;
  const hasNoType = type === undefined || isItem;
  return isKnown && hasNoType && NOT_BARE.every((key) => first.get(key) === undefined);
}

/** Whether the value is a list of messages. Some published trajectories have the text under another key. */
function isTrajectory(list: JsonView | undefined): boolean {
  const message = list?.type === 'array' ? list.elements()[0] : undefined;
  if (message?.get('role')?.type !== 'string') return false;
  return ['content', 'text', 'system_prompt'].some((key) => message.get(key) !== undefined);
}

/** Members beside the messages that only simulations of tau2 have. */
const SIMULATION_MEMBERS = ['reward_info', 'termination_reason'];

function detect(first: FirstObject): boolean {
  const is = (key: string, type: JsonView['type']): boolean => first.get(key)?.type === type;
  if (is('attempts', 'array')) return first.get('attempts')?.elements()[0]?.get('history')?.type === 'array';
  if (first.get('history') === undefined && isTrajectory(first.get('trajectory'))) return true;
  if (is('history', 'array') && first.get('instance_id') === undefined) {
    if (is('trajectory', 'array')) return is('info', 'object');
    const step = first.get('history')?.elements()[0];
    return step?.get('role')?.type === 'string' && step.get('parts') === undefined;
  }
  if (is('simulations', 'array')) return is('info', 'object') && is('tasks', 'array');
  if (is('traj', 'array')) return first.get('task_id') !== undefined && first.get('reward') !== undefined;
  if (is('messages', 'array')) {
    if (is('info', 'object') && first.get('trajectory_format') !== undefined) return true;
    return (
      first.get('task_id') !== undefined && SIMULATION_MEMBERS.some((key) => first.get(key) !== undefined)
    );
  }
  return isBareMessage(first);
}

function read(json: JsonView, context: ReadContext, source: RunsSource): LineFate {
  if (json.get('role') !== undefined || json.get('output') !== undefined || json.get('type') !== undefined)
    return source.readMessage(json, context);
  const simulations = json.get('simulations');
  if (simulations?.type === 'array') return source.readSimulations(json, simulations, context);
  const attempts = json.get('attempts');
  if (attempts !== undefined && attempts.elements().length > 0)
    return source.readAttempts(json, attempts, context);
  const history = json.get('history');
  if (history?.elements().length === 0 && (json.get('trajectory')?.elements().length ?? 0) > 0)
    return context.reject('bad-messages', 'history has no messages, although trajectory has steps', history);
  if (history?.type === 'array') return source.readRun(json, history, context);
  const list = json.get('traj') ?? json.get('messages') ?? json.get('trajectory');
  if (list?.type === 'array') return source.readRun(json, list, context);
  return context.reject('bad-messages', 'history, traj, messages and trajectory are missing', list);
}

const runs: Dialect = defineDialect({
  name: 'runs',
  summary:
    'Trajectories of benchmarks: SWE-agent, mini-swe-agent, tau-bench and tau2, lists of bare messages.',
  knownBy:
    'trajectory, history and info; a trajectory of messages; traj, task_id and reward; info, tasks and simulations; or a document of bare messages',
  keys: words('attempts history trajectory tools info traj task_id trial messages simulations role content'),
  folds: true,
  inside: 'simulations',
  memory: () => new RunsSource(),
  marks: ['messages', 'info', 'trajectory_format'],
  detect,
  read,
});

export default runs;
