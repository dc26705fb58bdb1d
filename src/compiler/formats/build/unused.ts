import type { Node } from '../../text/node.js';
import { keyOf, memberOf } from '../../text/node.js';
import type { Report } from '../../problems/problem.js';

/** Keys that change nothing of a build beyond what its planner and agents are told, and what becomes of them. */
const TOLD: readonly { path: readonly string[]; becomes: string }[] = [
  {
    path: ['portals'],
    becomes:
      'agents are told of the portals as a part of the result. Nothing of them is started while it is built: name an ' +
      'MCP server under `mcp` of perdure.yml where an agent shall use one',
  },
  { path: ['runtime'], becomes: 'agents are told what the agent of the result is like. Perdure runs none' },
  { path: ['knowledge'], becomes: 'agents are told of the sources. None is fetched' },
  { path: ['composition'], becomes: 'agents are told what the project gives and takes. No other project is looked at' },
  { path: ['meeting_team'], becomes: 'nobody meets' },
  { path: ['deployment', 'runtime_url'], becomes: 'nothing is sent there' },
  { path: ['deployment', 'provision_runtime'], becomes: 'no runtime is set up' },
];

/** Items of lists that say more than is done, and what becomes of that. */
const ITEMS: readonly {
  list: readonly string[];
  key: readonly string[];
  is: (value: Node, item: Node) => boolean;
  becomes: string;
}[] = [
  {
    list: ['portals'],
    key: ['mcpConfig', 'env'],
    is: () => true,
    becomes: '`env` of a portal may hold secrets: it is left out of all that agents are told.',
  },
  {
    list: ['skills'],
    key: ['category'],
    is: ({ value }) => value === 'composite',
    becomes: 'The steps of a composite skill are not run: agents are told its `prompt`.',
  },
  {
    list: ['workflow', 'feedback_loops'],
    key: ['trigger'],
    is: ({ value }) => value === 'custom',
    becomes: 'A feedback loop of the trigger `custom` is told to the planner. Nothing is repeated by it.',
  },
  {
    list: ['agents'],
    key: ['allowed_paths'],
    is: ({ items }, item) => items?.length === 0 && memberOf(item, 'role')?.value !== 'reviewer',
    becomes: 'An empty list allows no path: this agent writes nothing. Leave the key out to allow all.',
  },
];

/** Warns of keys that are read and change nothing of how a build runs: each says what becomes of it. */
export function warnOfUnused(node: Node, report: Report): void {
  const warn = (parent: Node, key: string, message: string): void =>
    report({ code: 'unsupported-key', severity: 'warning', at: keyOf(parent, key), message });
  for (const { path, becomes } of TOLD) {
    const [parent, key] = placeOf(node, path);
    if (parent !== null && saysMore(memberOf(parent, key))) warn(parent, key, `\`${path.join('.')}\`: ${becomes}.`);
  }
  for (const { list, key: path, is, becomes } of ITEMS) {
    const [holder, name] = placeOf(node, list);
    for (const item of (holder && memberOf(holder, name))?.items ?? []) {
      const [parent, key] = placeOf(item, path);
      const value = parent && memberOf(parent, key);
      if (parent !== null && value !== null && is(value, item)) warn(parent, key, becomes);
    }
  }
}

/** An empty list says nothing that could be lost. */
function saysMore(value: Node | null): boolean {
  return value !== null && value.items?.length !== 0;
}

/** The map in which the last key of a path would stand, and that key. */
function placeOf(node: Node, path: readonly string[]): [Node | null, string] {
  const parent = path.slice(0, -1).reduce<Node | null>((at, key) => at && memberOf(at, key), node);
  return [parent, path.at(-1) ?? ''];
}
