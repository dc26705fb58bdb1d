import type { ModelChoice } from '../../plan/agents/model-choice.js';
import type { ProviderToolName, Tool } from '../../plan/tools/tool.js';
import type { OfferedTool } from './protocol/message.js';

/** What each provider runs itself in the middle of an answer; a rehearsal uses no tool. */
const PROVIDED: Record<ModelChoice['provider'], readonly ProviderToolName[]> = {
  anthropic: ['web_search', 'web_fetch', 'code_execution'],
  ollama: [],
  openai: [],
  rehearsal: ['web_search', 'web_fetch', 'code_execution', 'image_generation'],
};

/** Of the web, a program that plays an agent has tools of its own. */
export const PLAYED: readonly ProviderToolName[] = ['web_search', 'web_fetch'];

/** Uses in one answer where nobody says: what may be used is reserved (I8), so there is always a limit. */
export const USES = 10;

/** The tool that an agent's provider must run itself, for a tool of a Plan; null for those that are run here. */
export function providerToolOf(tool: Tool): ProviderToolName | null {
  if (tool.kind === 'provider') return tool.name;
  return tool.kind === 'builtin' && tool.name === 'web_search' && tool.search === undefined ? 'web_search' : null;
}

export function providesTool(provider: ModelChoice['provider'], tool: ProviderToolName): boolean {
  return PROVIDED[provider].includes(tool);
}

/** Searches of the web that one answer may have at most. */
export function mostSearches(tools: OfferedTool[] = []): number {
  const search = tools.find(({ name, server }) => server === true && name === 'web_search');
  return search === undefined ? 0 : (search.limits?.max_uses ?? USES);
}
