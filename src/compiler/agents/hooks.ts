import type { Hook } from '../../plan/tools/hook.js';
import { matchesTool } from '../../plan/tools/hook.js';
import type { Permissions } from '../../plan/tools/permission.js';
import { judgeAction } from '../../plan/tools/permission.js';
import type { AuthoredHook } from '../formats/agent/hooks.js';
import { DEFAULT_HOOK_S } from '../formats/agent/hooks.js';
import { keepText } from '../hash.js';
import type { Place } from '../problems/problem.js';
import { keyOf, memberOf } from '../text/node.js';
import type { AgentDefinition } from './agent-definition.js';
import type { AgentUses, ToolSource } from './agent-uses.js';
import { fileHash, filesNamed } from './hook-files.js';
import { ownOf } from '../../plan/values/own.js';

/**
 * The hooks of an agent as the Plan holds them, each with the texts of its files. What nobody can have approved is
 * reported: hooks of a file that a run could have written, and files that are not as they were approved.
 */
export function hooksOf(definition: AgentDefinition, used: AgentUses | null, source: ToolSource): { hooks?: Hook[] } {
  const { authored, node, file } = definition;
  const { hooks = [] } = authored;
  if (hooks.length === 0) return {};
  const { report } = source;
  const at = keyOf(node, 'hooks');
  const refuse = (message: string, suggestion: string): void =>
    report({ code: 'unsupported-key', at, message, suggestion });
  if (!source.mayHook(file))
    refuse(
      'Hooks are of agents in `definitions/agents/`, where no agent writes: nobody has approved these.',
      'move the file there, or `perdure agents import` it; an agent that a run made has none',
    );
  if (authored.agent !== undefined)
    refuse(
      `\`${authored.agent}\` plays this agent with tools of its own, around which no hook runs.`,
      'leave `agent` out, and a model provider plays it with the tools of Perdure',
    );
  if (used === null) return {};
  tellUnseen(used, hooks, at, source);
  const compiled = hooks.flatMap((hook, index) => {
    const place = memberOf(node, 'hooks')?.items?.[index] ?? at;
    return compileHook(hook, { place, permissions: used.permissions, source }) ?? [];
  });
  return compiled.length === 0 ? {} : { hooks: compiled };
}

/** Tools whose calls no hook sees. */
function tellUnseen({ uses }: AgentUses, hooks: AuthoredHook[], at: Place, { report }: ToolSource): void {
  if (uses.some((tool) => tool.kind === 'maker' && tool.name === 'workflow_create'))
    report({
      code: 'unsupported-key',
      at,
      message: 'Its hooks do not reach the steps of workflows that it makes by `workflow_create`.',
      suggestion: 'take `workflow_create` from its tools, or take its hooks away',
    });
  const search = uses.some(
    (tool) => tool.kind === 'provider' || (tool.kind === 'builtin' && tool.name === 'web_search' && !tool.search),
  );
  if (
    search &&
    hooks.some(({ before }) => before !== undefined && matchesTool({ tools: before }, ['WebSearch', 'web_search']))
  )
    report({
      code: 'unsupported-key',
      severity: 'warning',
      at,
      message: 'Where the provider of its model searches the web, it does so in its answer, and no hook sees it.',
      suggestion: 'name a search under `search` of perdure.yml, or take `web_search` away',
    });
}

interface Around {
  place: Place & { members?: unknown };
  permissions: Permissions;
  source: ToolSource;
}

function compileHook(hook: AuthoredHook, { place: at, permissions, source }: Around): Hook | null {
  const { before, after, command, timeout_s: seconds = DEFAULT_HOOK_S } = hook;
  const { report, texts } = source;
  const tools = before ?? after;
  if (tools === undefined || (before !== undefined && after !== undefined)) {
    report({
      code: tools === undefined ? 'missing-key' : 'conflicting-keys',
      at,
      message: 'Expected a hook to say one of `before` and `after`: the tools whose calls it is about.',
      suggestion: 'write `before: "*"` for all of them',
    });
    return null;
  }
  const verdict = judgeAction(permissions, { kind: 'command', argv: ['bash', '-c', command], cwd: '.' });
  if (verdict.verdict === 'deny' && verdict.reason.includes('`deny`')) {
    report({ code: 'invalid-value', at, message: `This hook may not run: ${verdict.reason}`, suggestion: null });
    return null;
  }
  const files = boundFiles(hook, at, source);
  if (files === null) return null;
  return {
    when: before === undefined ? 'after' : 'before',
    tools,
    command: keepText(command, texts),
    timeout_ms: seconds * 1000,
    ...(files.length === 0
      ? {}
      : { files: Object.fromEntries(files.map(([path, text]) => [path, keepText(text, texts)])) }),
  };
}

/** The texts of the files that a hook's line names; null where one is not as it was approved, which is reported. */
function boundFiles(
  { command, files = {} }: AuthoredHook,
  at: Place,
  { report, findFile }: ToolSource,
): [string, string][] | null {
  const named = filesNamed(command, findFile);
  const gone = Object.keys(files).filter((path) => !named.has(path));
  for (const path of gone)
    report({
      code: 'invalid-value',
      at,
      message: `\`${path}\` is no file that this hook's line names, or it is not there.`,
      suggestion: 'name it in `command` by its path from the root of the project, or take it out of `files`',
    });
  let sound = gone.length === 0;
  const bound: [string, string][] = [];
  for (const [path, found] of named) {
    const approved = ownOf(files, path);
    const now = 'text' in found ? fileHash(found.text) : null;
    if ('text' in found && now === approved) {
      bound.push([path, found.text]);
      continue;
    }
    sound = false;
    report({
      code: 'invalid-value',
      at,
      message:
        'failure' in found
          ? `The file \`${path}\` of this hook cannot be read: ${found.failure}`
          : approved === undefined
            ? `This hook runs \`${path}\`, and \`files\` does not say what of it was approved.`
            : `\`${path}\` has changed since this hook was approved: it was ${approved}.`,
      suggestion: now === null ? null : `look at it, and write \`files: {${JSON.stringify(path)}: "${now}"}\``,
    });
  }
  return sound ? bound : null;
}
