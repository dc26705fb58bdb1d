import type { JsonObject } from '../plan/values/json.js';
import { toText } from '../plan/values/json.js';
import type { Plan } from '../plan/plan.js';
import { costAbove } from '../cli/submit/ask-above.js';
import { safeLine, safeName } from '../cli/text/safe-text.js';
import { sha256 } from '../store/hash.js';
import { askPerson, marked } from './ask-person.js';
import type { Asked } from './ask-person.js';
import { McpRefusal } from './errors.js';
import type { ToolCall } from './tool.js';

/**
 * Has the person at the client asked before a run is started that may cost more than `--ask-above` of the server says;
 * null where nobody need be. Refuses where they say no, or the client cannot ask; nothing was started then.
 */
export async function askBeforeStart(
  { plan, input, most }: { plan: Plan; input: JsonObject; /** Its own limit, in US dollars. */ most: number | null },
  { connection, by, answers, canAsk }: ToolCall,
): Promise<Extract<Asked, { kind: 'ask' }> | null> {
  const { askAbove, terminal } = connection;
  if (askAbove === null) return null;
  const { config } = await connection.session();
  const past = await (await connection.forecasts()).past();
  const dear = costAbove(askAbove, plan, { config, env: terminal.env, past, most });
  if (dear === null) return null;
  if (!canAsk)
    throw new McpRefusal(
      `${dear.what} (--ask-above), and this client cannot ask its person. Nothing was started; a person can start ` +
        `it in a terminal.`,
    );
  const given = toText(input);
  const message = [
    `\`${safeLine(by)}\` wants to run \`${safeName(plan.name)}\`.`,
    marked(given),
    [`${dear.what}:`, ...dear.why].join('\n'),
  ].join('\n\n');
  const key = `start ${plan.hash} ${sha256(given)} ${sha256(dear.what)}`;
  const asked = askPerson({ key, message, agree: 'Start it all the same, in my name.' }, { answers });
  if (asked.kind === 'refused') throw new McpRefusal('The person at the client did not agree. Nothing was started.');
  return asked.kind === 'ask' ? asked : null;
}
