import type { BuiltinTool, MakerTool, Tool } from '../../plan/tools/tool.js';
import { stepFailure } from '../failures.js';
import { agentTool } from './agent-tool.js';
import { callRemote } from './call-remote.js';
import { compareWorkspace } from './context/compare-workspace.js';
import { gatherContext } from './context/gather-context.js';
import { memorySearch } from './context/memory-search.js';
import { keepContext } from './context/keep-context.js';
import { defined } from './defined/defined.js';
import { editFile } from './files/edit-file.js';
import { listFiles } from './files/list-files.js';
import { readFile } from './files/read-file.js';
import { searchFiles } from './files/search-files.js';
import { writeFile } from './files/write-file.js';
import type { ToolHandler } from './handler/handler.js';
import { agentCall, madeAgent } from './makers/agent-call.js';
import { agentCreate } from './makers/agent-create.js';
import { custom } from './makers/custom.js';
import { toolCreate } from './makers/tool-create.js';
import { madeWorkflow, workflowCreate } from './makers/workflow-create.js';
import { buildProject } from './shell/build-project.js';
import { runTests } from './shell/run-tests.js';
import { shell } from './shell/shell.js';
import { testChanges } from './shell/test-changes.js';
import { startProgram } from './shell/start-program.js';
import { providerTool } from './provider-tool.js';
import { httpRequest } from './web/http-request.js';
import { searchAt } from './web/search-at.js';
import { webSearch } from './web/web-search.js';

const BUILTINS: Record<BuiltinTool, ToolHandler> = {
  read_file: readFile,
  write_file: writeFile,
  edit_file: editFile,
  list_files: listFiles,
  search_files: searchFiles,
  gather_context: gatherContext,
  keep_context: keepContext,
  compare_workspace: compareWorkspace,
  memory_search: memorySearch,
  shell,
  build_project: buildProject,
  run_tests: runTests,
  test_changes: testChanges,
  start_program: startProgram,
  http_request: httpRequest,
  web_search: webSearch,
};

/** How a tool is shown, judged and run. Throws for one that this version does not have. */
export function handlerOf(tool: Tool): ToolHandler {
  if (tool.kind === 'mcp') return callRemote;
  if (tool.kind === 'provider') return providerTool;
  if (tool.kind === 'defined') return defined;
  if (tool.kind === 'agent') return agentTool;
  if (tool.kind === 'made') return madeAgent;
  if (tool.kind === 'workflow') return madeWorkflow;
  if (tool.kind === 'custom') return custom;
  if (tool.kind === 'maker') return makerOf(tool);
  if (tool.kind === 'builtin' && tool.search !== undefined) return searchAt;
  const handler = tool.kind === 'builtin' ? BUILTINS[tool.name] : undefined;
  if (handler === undefined) throw stepFailure('internal', `There is no handler of the tool \`${tool.name}\`.`);
  return handler;
}

function makerOf({ name }: MakerTool): ToolHandler {
  switch (name) {
    case 'agent_create':
      return agentCreate;
    case 'agent_call':
      return agentCall;
    case 'tool_create':
      return toolCreate;
    case 'workflow_create':
      return workflowCreate;
  }
}
