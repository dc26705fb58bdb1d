import { TURNS, agentText } from '../../activities/builds/task-agent.js';
import { taskPrompt } from '../../activities/builds/prompts.js';
import { costAt, priceOf } from '../../activities/models/choice/prices.js';
import { answerTokens } from '../../activities/models/choice/with-price.js';
import { NO_USAGE } from '../../activities/models/protocol/provider.js';
import { mostAnswered } from '../../plan/agents/model-rules.js';
import { mostOf } from '../../plan/budget/price.js';
import { teamOf } from '../../plan/builds/build-spec.js';
import type { Task } from '../../plan/builds/task.js';
import type { Json } from '../../plan/values/json.js';
import { utf8Bytes } from '../../plan/values/json.js';
import type { PastTasks } from './past-task-costs.js';
import type { PlannedMember } from '../observe/view/view.js';
import { formatUsd, plural } from '../text/format.js';
import { BYTES_PER_TOKEN, SHORT_ANSWER } from '../../workers/forecast/price-range.js';

/** What a task is told of those before it, and of the files, at most: 2,000 words, and lines of 200 files. */
const BEFORE_BYTES = 32_768;

/** What is known of a task beside what its planner says of it. */
interface Known {
  member: PlannedMember | undefined;
  spec: Json;
  /** What tasks have cost here before, by role. */
  past: ReadonlyMap<string, PastTasks>;
}

/**
 * What a task is expected to cost, in a few words: a turn of its agent, from a short answer to what is reserved for it,
 * and what tasks of that role have cost here before. `unknown` where nobody knows the price.
 */
export function taskCost(task: Task, { member, spec, past }: Known): string {
  const { model = null, told = 0, turns = TURNS, params } = member ?? {};
  if (model?.provider === 'rehearsal') return 'nothing: the models are rehearsed';
  if (model === null || model.assumed === true) return 'unknown';
  const price = model.price === undefined ? priceOf(model.model) : model.price;
  if (price === null) return model.price === null ? 'nothing: the model runs on a machine of your own' : 'unknown';
  const bytes = told + bytesOf(task, spec);
  const max_tokens = mostAnswered({ max_tokens: answerTokens(model), ...model }, params);
  const output = Math.min(SHORT_ANSWER, max_tokens);
  const least = costAt(price, { ...NO_USAGE, input: bytes / BYTES_PER_TOKEN.least, output });
  const { usd } = mostOf(price, {
    bytes: bytes + (task.dependencies.length > 0 ? BEFORE_BYTES : 0),
    max_tokens,
  });
  const turn = `about ${formatUsd(least)} to ${formatUsd(usd)} a turn, at most ${plural(turns, 'turn')} a try`;
  return `${turn}${pastWords(member, past)}`;
}

function pastWords(member: Known['member'], past: Known['past']): string {
  const role = member?.role ?? '';
  const { usd, tasks } = past.get(role) ?? { usd: 0, tasks: 0 };
  if (tasks === 0) return '';
  return `;\na ${role}'s task has cost ${formatUsd(usd / tasks)} here, on average of ${tasks} before`;
}

/** Bytes of what a task's agent is told before its first turn, without what the run finds out until then. */
function bytesOf(task: Task, spec: Json): number {
  const team = teamOf(spec);
  const index = team.findIndex(({ name }) => name === task.agent_name);
  const member = team[index];
  if (member === undefined) return utf8Bytes(JSON.stringify(task));
  const prompt = taskPrompt({ task, member, spec, before: null, manifest: null, tests: false });
  return utf8Bytes(agentText(member, index, { spec, team })) + utf8Bytes(prompt);
}
