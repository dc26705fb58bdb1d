import type { Step } from '../../plan/step.js';
import type { AuthoredStep } from '../formats/step.js';
import { compileAgentStep } from '../steps/agent.js';
import { compileApprovalStep } from '../steps/approval.js';
import { compileAskStep } from '../steps/ask.js';
import type { StepContext } from '../steps/base.js';
import { compileCommandStep } from '../steps/command.js';
import { compileFlashStep, compileImageStep, compileSerialStep } from '../steps/device.js';
import { compilePlanStep } from '../steps/plan.js';
import { compileSetStep } from '../steps/set.js';
import { compileToolStep } from '../steps/tool.js';
import { compileWaitStep } from '../steps/wait.js';
import { compileWorkflowStep } from '../steps/workflow.js';

/** A step in normal form but for its edges. Null when it has problems. */
export function compileStep(authored: AuthoredStep, context: StepContext): Step | null {
  switch (authored.kind) {
    case 'agent':
      return compileAgentStep(authored, context);
    case 'command':
      return compileCommandStep(authored, context);
    case 'tool':
      return compileToolStep(authored, context);
    case 'workflow':
      return compileWorkflowStep(authored, context);
    case 'approval':
      return compileApprovalStep(authored, context);
    case 'ask':
      return compileAskStep(authored, context);
    case 'plan':
      return compilePlanStep(authored, context);
    case 'set':
      return compileSetStep(authored, context);
    case 'wait':
      return compileWaitStep(authored, context);
    case 'compile':
      return compileImageStep(authored, context);
    case 'flash':
      return compileFlashStep(authored, context);
    case 'serial':
      return compileSerialStep(authored, context);
  }
}
