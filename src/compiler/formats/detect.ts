import { extname } from 'node:path';
import type { Json } from '../../plan/json.js';
import { isObject } from '../../plan/json.js';
import type { Node } from '../node.js';
import { startOf } from '../node.js';
import type { Report } from '../problem.js';

export type Format = 'workflow' | 'agent';

/** What a file is, by its content and then by its place; null when this compiler does not take it, which is reported. */
export function detectFormat(node: Node, report: Report): Format | null {
  const { value } = node;
  if (!isObject(value)) {
    report({ code: 'invalid-value', at: node, message: 'Expected a definition: a map with `steps` or `prompt`.' });
    return null;
  }
  const foreign = FOREIGN.find(({ is }) => is(value));
  if (foreign !== undefined) {
    report({ code: 'foreign-file', at: startOf(node), message: `This seems to be ${foreign.name}, which Perdure does not run.` });
    return null;
  }
  const later = LATER.find(({ is }) => is(value));
  if (later !== undefined) {
    report({ code: 'unsupported-format', at: startOf(node), message: `This seems to be ${later.name}; this version does not compile that format yet.` });
    return null;
  }
  if ('steps' in value || /\/workflows\/[^/]*$/.test(node.source.absolute)) return 'workflow';
  if ('prompt' in value || /\/agents\/[^/]*$/.test(node.source.absolute)) return 'agent';
  return 'description' in value || 'execution' in value ? 'workflow' : refuse(node, report);
}

function refuse(node: Node, report: Report): null {
  const message = 'Expected a workflow (with `steps`) or an agent (with `prompt`).';
  report({ code: 'missing-key', at: startOf(node), message });
  return null;
}

interface Sign {
  name: string;
  is: (value: Record<string, Json>) => boolean;
}

const FOREIGN: Sign[] = [
  { name: 'a GitHub Actions workflow', is: (value) => 'jobs' in value && 'on' in value },
  { name: 'a GitLab pipeline', is: (value) => 'stages' in value && Object.values(value).some((job) => isObject(job) && 'script' in job) },
  { name: 'a Docker Compose file', is: (value) => isObject(value.services) && !('steps' in value) },
  { name: 'a Kubernetes object', is: (value) => 'apiVersion' in value && 'kind' in value },
  { name: 'an npm package manifest', is: (value) => isObject(value.dependencies) || isObject(value.devDependencies) },
];

const LATER: Sign[] = [
  { name: 'a chain', is: (value) => Array.isArray(value.steps) && value.steps.some((step) => isObject(step) && 'step' in step) },
  { name: 'a build spec', is: (value) => 'nugget' in value || 'requirements' in value },
  { name: 'a project manifest', is: (value) => 'agent_files' in value || 'worker_files' in value },
];

/** Formats known by their extension alone. */
export function isLaterFormat(file: string): boolean {
  return ['.flow', '.toml', '.agent'].includes(extname(file));
}
