import type { JsonObject } from '../values/json.js';
import { MEMORY_CATEGORIES } from './memory.js';
import type { BuiltinTool } from './tool.js';

const TEXT = { type: 'string' };
const COUNT = { type: 'integer' };
const SUMMARIES = { type: 'array', items: { type: 'object' } };
const TEXTS = { type: 'array', items: TEXT };

function taking(required: JsonObject, optional: JsonObject = {}): JsonObject {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

/**
 * What the tools that come with Perdure are called with, as far as a compiler can check it: names and types. The whole
 * schemas are the handlers' own (`activities/tools/`); a test holds both against each other.
 */
export const BUILTIN_INPUTS: Record<BuiltinTool, JsonObject> = {
  read_file: taking({ path: TEXT }, { offset: COUNT, limit: COUNT }),
  write_file: taking({ path: TEXT, content: TEXT }),
  edit_file: taking({ path: TEXT, old_text: TEXT, new_text: TEXT }, { all: { type: 'boolean' } }),
  list_files: taking({}, { path: TEXT, pattern: TEXT }),
  search_files: taking({ pattern: TEXT }, { path: TEXT, files: TEXT, ignore_case: { type: 'boolean' } }),
  gather_context: taking(
    { for: TEXT },
    { before: SUMMARIES, reviews: SUMMARIES, results: SUMMARIES, files: { type: 'boolean' } },
  ),
  keep_context: taking({ path: TEXT, task: TEXT, summary: {} }, { name: TEXT, on_top: { type: 'boolean' } }),
  compare_workspace: taking({}, { after: {}, without: TEXTS }),
  memory_search: taking({ query: TEXT }, { category: { type: 'string', enum: [...MEMORY_CATEGORIES] }, limit: COUNT }),
  shell: taking({ argv: TEXTS }, { cwd: TEXT, stdin: TEXT, timeout_s: COUNT }),
  build_project: taking({}, { argv: TEXTS, page: { type: 'boolean' }, timeout_s: COUNT }),
  run_tests: taking({ argv: TEXTS }, { cwd: TEXT, timeout_s: COUNT }),
  test_changes: taking({ writers: TEXTS }, { fixed: TEXTS, argv: TEXTS }),
  start_program: taking({ argv: TEXTS }, { cwd: TEXT, for_s: COUNT }),
  http_request: taking(
    { url: TEXT },
    {
      method: { type: 'string', enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] },
      headers: { type: 'object' },
      body: TEXT,
    },
  ),
  web_search: taking({ query: TEXT }),
};
