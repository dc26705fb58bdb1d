import { join } from 'node:path';
import type { JsonObject } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { AgentBounds, ToolMade } from '../../plan/agents/made-definition.js';
import type { CustomTool } from '../../plan/tools/tool.js';
import type { AuthoredTool } from '../formats/tool.js';
import type { Texts } from '../hash.js';
import { keepText } from '../hash.js';
import { createLoader } from '../load.js';
import { nameFault } from './made-name.js';
import { createReport, problemLine, sortProblems, toldProblems } from '../problems/problem.js';
import { yamlText } from '../text/yaml-text.js';

/** A tool that an agent makes: its name, and the rest of its `tool.yml` as a map or as YAML. */
export interface ToolRequest {
  name: string;
  definition: JsonObject | string;
}

/** As a text, or written out from a map: it is read in the process that does everything else. */
const MOST_CHARACTERS = 50_000;

/** What a made tool does is done by this tool of its caller. */
const THROUGH = { command: 'shell', http: 'http_request' } as const;

/**
 * Makes a tool of what an agent says of it. It is read as a person's `tool.yml` would be, and acts only through the
 * tool that its maker has for that: a program through `shell`, a request through `http_request`, judged by the
 * permissions of whoever calls it. So it has no secrets, no environment and no approval of its own.
 */
export function compileMadeTool(
  { name, definition }: ToolRequest,
  bounds: Pick<AgentBounds, 'maker' | 'taken'>,
  workspace: string,
): { made: ToolMade; texts: Texts } {
  const texts: Texts = new Map();
  const fault = nameFault(name, bounds, workspace);
  if (fault !== null) return { made: { problems: fault }, texts };
  const text = typeof definition === 'string' ? definition : yamlText({ name, version: 1, ...definition });
  if (text.length > MOST_CHARACTERS)
    return { made: { problems: `Expected at most ${MOST_CHARACTERS} characters, got ${text.length}.` }, texts };
  const { problems, report } = createReport();
  const file = join(workspace, `${name}.yml`);
  const found = createLoader(workspace, report, new Map([[file, text]])).load(file);
  const errors = sortProblems(problems)
    .filter(({ severity }) => severity === 'error')
    .map(problemLine);
  if (found !== null && found.format !== 'tool')
    errors.push(`Expected a tool, with \`kind\` and \`exec\`, got a ${found.format}.`);
  const tool = found?.format === 'tool' ? found.authored : null;
  if (tool !== null) errors.push(...toolFaults(tool, name, bounds));
  if (tool === null || errors.length > 0 || tool.kind === 'python')
    return { made: { problems: toldProblems(errors) }, texts };
  const { description, inputs } = tool;
  return {
    made: {
      text,
      tool: {
        kind: 'custom',
        name,
        description: keepText(description, texts),
        inputs: keepText(canonicalJson(inputs.schema), texts),
        definition: keepText(canonicalJson(tool), texts),
        through: THROUGH[tool.kind],
        ...rootOf(bounds.maker, THROUGH[tool.kind]),
      },
    },
    texts,
  };
}

/** What is made works where the tool works that it goes through. */
function rootOf({ uses = [] }: AgentBounds['maker'], through: CustomTool['through']): Pick<CustomTool, 'root'> {
  const tool = uses.find(({ name }) => name === through);
  return tool?.kind === 'builtin' && tool.root !== undefined ? { root: tool.root } : {};
}

function toolFaults(
  { name: written, kind, exec, permissions, approval }: AuthoredTool,
  name: string,
  { maker }: Pick<AgentBounds, 'maker'>,
): string[] {
  const faults = written === name ? [] : [`The tool's text names it \`${written}\`; expected \`${name}\`.`];
  if (kind === 'python')
    faults.push(
      'Expected a tool of kind `command` or `http`, got `python`: its code would have to be in a file that a ' +
        'person has put there.',
    );
  else if (!(maker.uses ?? []).some((tool) => tool.name === THROUGH[kind]))
    faults.push(`A tool of kind \`${kind}\` acts through \`${THROUGH[kind]}\`, which its maker may not use.`);
  if (Object.keys(permissions?.secrets ?? {}).length > 0) faults.push('A tool that an agent makes has no `secrets`.');
  if (exec.command?.env !== undefined) faults.push('A tool that an agent makes has no `env`.');
  if (approval?.required === true)
    faults.push(
      'A tool that an agent makes has no `approval`: what it does is judged by the permissions of who calls it.',
    );
  return faults;
}
