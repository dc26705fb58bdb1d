import { compileIn, createProject } from './temporary-project.js';

export const MODELS = [
  {
    name: 'small',
    provider: 'ollama',
    model: 'llama3.1:8b',
    baseUrl: 'http://localhost:11434',
    params: { temperature: 0 },
  },
];
export const ASK = {
  step: 1,
  inputs: ['userRequest'],
  outputs: { gist: 'string' },
  modelRef: 'small',
  systemPrompt: 'Summarize: {{userRequest}}',
};
export const COUNT = { step: 2, inputs: ['gist'], outputs: { words: 'number' }, command: ['wc', '-w', '{{gist}}'] };

type Written = Record<string, unknown>;
export const chainOf = (...steps: Written[]): Written => ({ models: MODELS, steps });
export const compile = (chain: unknown, file = 'chain.json') =>
  compileIn(createProject({ [file]: typeof chain === 'string' ? chain : JSON.stringify(chain, null, 1) }), file);
export const planOf = (...steps: Written[]) => {
  const { plan, problems } = compile(chainOf(...steps));
  if (plan === null) throw new Error(problems.map(({ message }) => message).join('\n'));
  return plan;
};
/** Messages and the text that the caret underlines. */
export function found(chain: unknown, file?: string): string[] {
  const { problems, sources } = compile(chain, file);
  return problems.map(({ code, message, line, column, length, file: name }) => {
    const text = (sources.get(name) ?? '').split('\n')[line - 1] ?? '';
    return `${code} <${text.slice(column - 1, column - 1 + length)}> ${message}`;
  });
}
