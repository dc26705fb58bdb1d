import type { Compiled } from '../../../src/compiler/compile.js';
import { compileIn, createProject } from './temporary-project.js';

/** Compiles a flow's text in a project of its own; problems in one line each. */
export function compileFlowText(text: string, files: Record<string, string> = {}): Compiled {
  return compileIn(createProject({ 'a.flow': text, ...files }), 'a.flow');
}

/** The steps of a flow that must have no error. */
export function flowPlan(text: string, files: Record<string, string> = {}): NonNullable<Compiled['plan']> {
  const { plan, problems } = compileFlowText(text, files);
  if (plan === null)
    throw new Error(
      problems.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`).join('\n'),
    );
  return plan;
}
