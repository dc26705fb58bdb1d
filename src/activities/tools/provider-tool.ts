import type { ProviderTool, ProviderToolName } from '../../plan/tools/tool.js';
import { failed } from './handler/builtin.js';
import type { ToolHandler } from './handler/handler.js';

const DESCRIPTIONS: Record<ProviderToolName, string> = {
  web_search: 'Searches the web.',
  web_fetch: 'Reads a page of the web.',
  code_execution: 'Runs code on a machine of its own.',
  image_generation: 'Makes an image.',
};

/** A tool that the model's provider runs in the middle of its own answer (`server_side_tools`). */
export const providerTool: ToolHandler<ProviderTool> = {
  spec: async ({ name }) => ({ name, description: DESCRIPTIONS[name], input_schema: { type: 'object' } }),
  parallel: true,
  quick: false,
  server: true,
  effect: () => 'none',
  action: () => ({ kind: 'none' }),
  run: async ({ name }) => failed(`The provider of this model does not run \`${name}\`.`),
};
