import { dirname, relative } from 'node:path';
import type { JsonObject } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { DefinedTool } from '../../plan/tools/tool.js';
import type { AuthoredTool } from '../formats/tool.js';
import type { Texts } from '../hash.js';
import { keepText } from '../hash.js';
import type { Definition } from '../load.js';

/** A tool of a `tool.yml`, as Plans hold it. */
export interface FoundTool {
  tool: DefinedTool;
  /** JSON Schema of its input. */
  inputs: JsonObject;
  /** A person is asked before it acts: its file says so, or a client made it. */
  asks: boolean;
}

/** Requests that change nothing by the rules of HTTP. */
const ASKING = ['GET'];

function effectOf({ kind, exec, permissions }: AuthoredTool): DefinedTool['effect'] {
  if (kind === 'http') return ASKING.includes(exec.http?.method ?? '') ? 'none' : 'external';
  return permissions?.network === undefined || permissions.network === false ? 'workspace' : 'external';
}

interface Closing {
  root: string;
  texts: Texts;
  /** A client made it: that its text was approved says nothing of what it is called with. */
  isMade: boolean;
}

/** A defined tool in its closed form: its whole file stands in the Plan. */
export function toDefinedTool(
  { name, file, authored }: Definition & { format: 'tool' },
  { root, texts, isMade }: Closing,
): FoundTool {
  const tool: DefinedTool = {
    kind: 'defined',
    name,
    description: keepText(authored.description, texts),
    inputs: keepText(canonicalJson(authored.inputs.schema), texts),
    definition: keepText(canonicalJson(authored), texts),
    folder: relative(root, dirname(file)) || '.',
    effect: effectOf(authored),
    ...(isMade ? { made: true } : {}),
  };
  return { tool, inputs: authored.inputs.schema, asks: isMade || authored.approval?.required === true };
}
