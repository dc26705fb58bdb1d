import { z } from 'zod';
import type { JsonObject } from '../plan/values/json.js';
import { configSchema } from './project/config.js';
import { agentEditorSchema } from './formats/agent/agent.js';
import { buildSchema } from './formats/build/build.js';
import { chainSchema } from './formats/chain.js';
import { deviceKindSchema } from './formats/device-kind.js';
import { projectSchema } from './formats/project.js';
import { toolSchema } from './formats/tool.js';
import { workflowSchema } from './formats/workflow.js';

const SCHEMAS = {
  workflow: workflowSchema,
  agent: agentEditorSchema,
  chain: chainSchema,
  build: buildSchema,
  project: projectSchema,
  tool: toolSchema,
  device: deviceKindSchema,
  config: configSchema,
};

export type SchemaKind = keyof typeof SCHEMAS;

/** What `perdure schema` knows. */
export const SCHEMA_KINDS: readonly SchemaKind[] = [
  'workflow',
  'agent',
  'chain',
  'build',
  'project',
  'tool',
  'device',
  'config',
];

/**
 * The JSON Schema (draft 7, which editors understand) of one authored format, made from the schema that validates it.
 */
export function jsonSchemaOf(kind: SchemaKind): JsonObject {
  const made = z.toJSONSchema(SCHEMAS[kind], { target: 'draft-7', io: 'input', unrepresentable: 'any' });
  // plain JSON, as it is written to a file
  return JSON.parse(JSON.stringify({ title: `Perdure ${kind}`, ...made })) as JsonObject;
}
