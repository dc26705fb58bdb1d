import type { McpTool } from '../tool.js';
import { agentCreate } from './agent-create.js';
import { agentSay } from './agent-say.js';
import { agentsList } from './agents-list.js';
import { callTool } from './call-tool.js';
import { memorySearch } from './memory-search.js';
import { gateAnswer } from './gate-answer.js';
import { runStatus } from './run-status.js';
import { runWait } from './run-wait.js';
import { task } from './task.js';
import { toolCreate } from './tool-create.js';
import { workflowCreate } from './workflow-create.js';
import { workflowPlan } from './workflow-plan.js';
import { workflow } from './workflow.js';

/** Every tool, in the order in which clients list them. */
export const TOOLS: readonly McpTool[] = [
  task,
  workflow,
  workflowPlan,
  callTool,
  agentsList,
  agentCreate,
  agentSay,
  toolCreate,
  workflowCreate,
  runStatus,
  runWait,
  gateAnswer,
  memorySearch,
];
