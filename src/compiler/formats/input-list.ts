import type { Member, Node } from '../text/node.js';
import { memberOf, without } from '../text/node.js';
import type { Report } from '../problems/problem.js';
import { FORBIDDEN_KEYS } from '../text/yaml.js';

/**
 * A definition whose `inputs` are a list of names, or of maps with a `name` as Glee has them, with a map from names in
 * its place.
 */
export function withInputMap(agent: Node, report: Report): Node {
  const written = agent.members?.get('inputs');
  const items = written?.node.items ?? null;
  if (
    agent.members === null ||
    written === undefined ||
    items === null ||
    !items.every((item) => typeof nameIn(item).value === 'string')
  )
    return agent;
  const inputs = new Map<string, Member>();
  for (const item of items) {
    const key = nameIn(item);
    const name = String(key.value);
    if (FORBIDDEN_KEYS.has(name)) {
      report({ code: 'forbidden-key', at: key, message: `The key \`${name}\` may not be used.` });
      continue;
    }
    if (inputs.has(name))
      report({
        code: 'duplicate-name',
        at: key,
        message: `There is an input \`${name}\` already.`,
        suggestion: 'give each its own name',
      });
    inputs.set(name, {
      key,
      node: item.members === null ? { ...item, value: null, style: null } : without(item, 'name'),
    });
  }
  const members = new Map(agent.members).set('inputs', {
    ...written,
    node: { ...written.node, items: null, members: inputs, value: valueOf(inputs) },
  });
  return { ...agent, members, value: valueOf(members) };
}

/** Where the name of an input stands: the item itself, or its `name`. */
function nameIn(item: Node): Node {
  return memberOf(item, 'name') ?? item;
}

function valueOf(members: Map<string, Member>): Node['value'] {
  return Object.fromEntries([...members].map(([name, { node }]) => [name, node.value]));
}
