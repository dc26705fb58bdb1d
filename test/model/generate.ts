import type { ModelStep, ModelWorkflow, OnError } from './reference.js';

/** Draws a random valid definition: all modes, groups, needs, references, conditions, failures, nesting. */
export function generate(draw: () => number): ModelWorkflow {
  let names = 0;
  const pick = <T>(...options: T[]): T => options[Math.floor(draw() * options.length)] as T; // options is never empty here
  const chance = (of: number): boolean => draw() < of;

  const workflow = (depth: number): ModelWorkflow => {
    const mode = pick<ModelWorkflow['mode']>('sequential', 'parallel', 'dag');
    const name = `w${names++}`;
    const count = 1 + Math.floor(draw() * (depth === 0 ? 6 : 3));
    const steps: ModelStep[] = [];
    for (let index = 0; index < count; index++) steps.push(step(mode, index, depth));
    return { name, mode, steps };
  };

  const step = (mode: ModelWorkflow['mode'], index: number, depth: number): ModelStep => {
    const before = Array.from({ length: index }, (_, earlier) => earlier);
    const some = (of: number): number[] => before.filter(() => chance(of));
    const policies: (OnError | null)[] = mode === 'sequential' ? [null, null, 'continue', 'skip_dependents', 'stop'] : [null, null, 'continue', 'skip_dependents'];
    return {
      id: `s${index}`,
      quick: chance(0.5),
      act: depth < 2 && chance(0.15) ? { kind: 'workflow', workflow: workflow(depth + 1) } : { kind: 'command', code: chance(0.2) ? 1 : 0 },
      refers: some(0.3).map((to) => ({ to, fallback: chance(0.4) ? `no${to}` : null })),
      needs: mode === 'dag' ? some(0.25) : [],
      // Members of a group stand together, as people write them.
      group: mode === 'parallel' && chance(0.5) ? `g${Math.floor(index / 3)}` : null,
      on_error: pick(...policies),
      when: index > 0 && chance(0.15) ? { step: Math.floor(draw() * index), succeeded: chance(0.7) } : null,
    };
  };
  return workflow(0);
}

/** The files of a definition, by path below the project. `log` gets a line when a step starts and one when it ends. */
export function toFiles(workflow: ModelWorkflow, log: string): Record<string, string> {
  const files: Record<string, string> = {};
  const write = ({ name, mode, steps }: ModelWorkflow): void => {
    files[`definitions/workflows/${name}.yml`] = `${JSON.stringify({ name, execution: mode, steps: steps.map((step) => authored(name, step, log)) }, null, 1)}\n`;
    for (const { act } of steps) if (act.kind === 'workflow') write(act.workflow);
  };
  write(workflow);
  return files;
}

/** JSON is YAML, so a definition may be written as such. */
function authored(name: string, step: ModelStep, log: string): object {
  const values = step.refers.map(({ to, fallback }) => `\${steps.s${to}.output${fallback === null ? '' : ` ?? "${fallback}"`}}`).join(',');
  const script = `echo "start $0" >> ${log}; printf %s "$1"; echo "end $0" >> ${log}; exit "$2"`;
  const act = step.act.kind === 'workflow'
    ? { workflow: step.act.workflow.name, ...(values === '' ? {} : { inputs: { given: values } }) }
    : { command: ['sh', '-c', script, `${name}/${step.id}`, `${step.id}(${values})`, String(step.act.code)], timeout: step.quick ? '9s' : '1m' };
  return {
    id: step.id,
    ...act,
    ...(step.needs.length === 0 ? {} : { needs: step.needs.map((need) => `s${need}`) }),
    ...(step.group === null ? {} : { parallel_group: step.group }),
    ...(step.on_error === null ? {} : { on_error: step.on_error }),
    ...(step.when === null ? {} : { when: `\${steps.s${step.when.step}.status ${step.when.succeeded ? '==' : '!='} 'success'}` }),
  };
}
