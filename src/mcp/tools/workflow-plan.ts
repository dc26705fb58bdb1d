import { z } from 'zod';
import { forecastOf } from '../../compiler/forecast/forecast.js';
import { forecastJson, rangeJson } from '../../cli/bill/bill-json.js';
import { forecastPlan } from '../../workers/forecast/forecast-plan.js';
import { priceRange } from '../../workers/forecast/price-range.js';
import { countCalls } from '../../cli/forecast/forecast-words.js';
import { openWorkspace } from '../../cli/session.js';
import { compile } from '../../cli/submit/prepare.js';
import { filled } from '../input.js';
import { defineTool } from '../tool.js';
import { findWorkflow } from './find-workflow.js';

export const workflowPlan = defineTool({
  name: 'workflow_plan',
  title: 'Forecast a workflow',
  description:
    'Says what a run of a workflow may take before it is started: by what closed runs took (half and 95 of 100 at ' +
    'most), and by its Plan alone. Starts nothing.',
  input: z.strictObject({ name: filled('Name of the workflow.') }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run({ name }, { connection }) {
    const { terminal, made } = connection;
    const workspace = await openWorkspace(terminal);
    const { models, agents } = workspace.config;
    const { file } = findWorkflow(name, workspace, connection);
    const { plan } = await compile(file, workspace, terminal, { made: made.forCompiler() });
    const forecast = forecastOf(plan, agents?.default ?? null);
    const past = await (await connection.forecasts()).past();
    return {
      name: plan.name,
      plan: plan.hash,
      steps: forecast.steps,
      forecast: forecastJson(forecastPlan(plan, past, { models, env: terminal.env })),
      range: rangeJson(priceRange(forecast.calls, models, terminal.env), countCalls(forecast.calls)),
    };
  },
});
