import { extname } from 'node:path';
import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import { didYouMean, nearest } from '../problems/did-you-mean.js';
import type { Node } from '../text/node.js';
import { keyOf, startOf } from '../text/node.js';
import type { Report } from '../problems/problem.js';
import { isIntent } from './intent.js';
import { foreignDocument, foreignFile } from '../text/foreign-formats.js';

const MAIN_KEYS = ['steps', 'prompt'];
const STEP_KEYS = ['agent', 'command', 'workflow', 'approval', 'step'];

export type Format = 'workflow' | 'agent' | 'chain' | 'build' | 'project' | 'tool';

/**
 * What a file is, by its content and then by its place; null when this compiler does not take it, which is reported.
 */
export function detectFormat(node: Node, report: Report): Format | null {
  const { value } = node;
  const foreign = foreignDocument(value);
  if (foreign !== null) {
    report(foreignFile(foreign, startOf(node)));
    return null;
  }
  if (!isObject(value)) return refuseShape(node, report);
  if (extname(node.source.absolute) === '.toml') return 'agent';
  if (isProject(value)) return 'project';
  if (isTool(value, node.source.absolute)) return 'tool';
  if (isBuild(value, node.source.absolute)) return 'build';
  if (isChain(value) || /\/chains\/[^/]*$/.test(node.source.absolute)) return 'chain';
  if (isWorkflow(value, node.source.absolute)) return 'workflow';
  if ('prompt' in value || /\/agents\/[^/]*$/.test(node.source.absolute)) return 'agent';
  return 'description' in value || 'execution' in value ? 'workflow' : refuse(node, report);
}

/** What says how it acts, or a file of that name in a folder of tools. */
function isTool(value: Record<string, Json>, file: string): boolean {
  return (
    !('steps' in value) && !('prompt' in value) && ('exec' in value || /\/tools\/(?:[^/]+\/)?tool\.ya?ml$/.test(file))
  );
}

/** A goal or requirements, and nothing that says how they are met. */
function isBuild(value: Record<string, Json>, file: string): boolean {
  if ('nugget' in value) return true;
  if (isIntent(value, file)) return false;
  return (
    !('steps' in value) &&
    !('prompt' in value) &&
    ('requirements' in value || 'goal' in value || /\/builds\/[^/]*$/.test(file))
  );
}

/** Steps, or a goal that they are planned for. */
function isWorkflow(value: Record<string, Json>, file: string): boolean {
  return 'steps' in value || isIntent(value, file) || /\/workflows\/[^/]*$/.test(file);
}

/** The manifest of an agent project. */
function isProject(value: Record<string, Json>): boolean {
  if ('steps' in value || 'prompt' in value) return false;
  return (
    ['agent_files', 'worker_files', 'python_files'].some((key) => key in value) ||
    ('runtime' in value && 'entry' in value)
  );
}

/** Numbered steps, or keys that only steps of chains have. */
function isChain({ steps, models }: Record<string, Json>): boolean {
  if (!Array.isArray(steps)) return false;
  return (
    Array.isArray(models) ||
    steps.some((step) => isObject(step) && ['step', 'systemPrompt', 'modelRef'].some((key) => key in step))
  );
}

function refuseShape(node: Node, report: Report): null {
  const { value } = node;
  const isSteps = Array.isArray(value) && value.some((item) => isObject(item) && STEP_KEYS.some((key) => key in item));
  const message = 'Expected a definition: a map with `steps` or `prompt`.';
  report({
    code: 'invalid-value',
    at: Array.isArray(value) ? startOf(node) : node,
    message,
    suggestion: isSteps ? 'put the steps under `steps:`' : null,
  });
  return null;
}

function refuse(node: Node, report: Report): null {
  const message = 'Expected a workflow (with `steps`) or an agent (with `prompt`).';
  const near = isObject(node.value)
    ? Object.keys(node.value).find((key) => nearest(key, MAIN_KEYS) !== null)
    : undefined;
  if (near === undefined) report({ code: 'missing-key', at: startOf(node), message });
  else report({ code: 'missing-key', at: keyOf(node, near), message, suggestion: didYouMean(near, MAIN_KEYS) });
  return null;
}
