import { compileIn, createProject } from './temporary-project.js';

export const MAIN = '---\nname: main\ndescription: Leads.\n---\nYou lead.\n';
export const HELPER = '---\nname: helper\n---\nYou help.\n';
export const MANIFEST = { version: 1, runtime: {}, entry: { agent: 'main' }, agent_files: ['main.agent'] };

export type Written = Record<string, unknown>;
export function compile(manifest: Written, files: Record<string, string> = {}) {
  const { plan, problems, sources } = compileIn(
    createProject({ 'p/project.json': JSON.stringify(manifest, null, 1), 'p/main.agent': MAIN, ...files }),
    'p',
  );
  const found = problems.map(({ code, message, line, column, length, file }) => {
    const text = (sources.get(file) ?? '').split('\n')[line - 1] ?? '';
    return `${code} <${text.slice(column - 1, column - 1 + length)}> ${message}`;
  });
  return { plan, found, step: plan?.steps[0], agents: Object.values(plan?.agents ?? {}) };
}
export const withTools = (toolsets: string, more = '') => ({
  'p/main.agent': `---\nname: main\ntoolsets: ${toolsets}\n${more}---\nYou lead.\n`,
  'p/helper.agent': HELPER,
});
