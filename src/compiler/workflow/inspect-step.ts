import type { StepContext } from '../steps/base.js';
import { memberOf } from '../text/node.js';
import { compileCondition, compileTemplate } from '../expressions/template.js';

const TEMPLATES = [
  'prompt',
  'inputs',
  'rehearsal',
  'command',
  'cwd',
  'env',
  'stdin',
  'approval',
  'content',
  'ask',
  'set',
  'wait',
  'compile',
  'flash',
  'serial',
];

/** Finds what is wrong with a step, whatever it is: its names, its condition, its templates. */
export function inspectStep({ node, templates, findAgent, findTool, findWorkflow }: StepContext): void {
  const named = { agent: memberOf(node, 'agent'), tool: memberOf(node, 'tool'), workflow: memberOf(node, 'workflow') };
  if (isName(named.agent?.value)) findAgent(named.agent.value, named.agent);
  if (isName(named.tool?.value)) findTool(named.tool.value, named.tool);
  if (isName(named.workflow?.value)) findWorkflow(named.workflow.value, named.workflow);
  for (const key of ['when', 'require']) {
    const condition = memberOf(node, key);
    if (typeof condition?.value === 'string') compileCondition(condition, templates);
  }
  for (const key of TEMPLATES) {
    const member = memberOf(node, key);
    if (member !== null) compileTemplate(member, templates);
  }
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
