import { yamlText } from '../../compiler/text/yaml-text.js';

/** What is said of an agent beside its instructions, as its file says it. */
export interface AgentHead {
  name: string;
  description?: string | undefined;
  /** The program that plays it. */
  agent?: string | undefined;
  model?: string | undefined;
  tools?: string[] | undefined;
  toolsets?: string[] | undefined;
}

/** An agent's file as a person would write it: YAML, or the form of an `.agent` file where it has sets of tools. */
export function agentText({ toolsets, ...rest }: AgentHead, prompt: string): { text: string; ending: 'yml' | 'agent' } {
  const head = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  if (toolsets === undefined) return { text: yamlText({ ...head, prompt }), ending: 'yml' };
  return {
    text: `---\n${yamlText({ ...head, toolsets })}---\n\n${prompt.trim()}\n`,
    ending: 'agent',
  };
}
