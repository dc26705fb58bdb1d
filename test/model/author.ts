import type { ModelStep, ModelWorkflow } from './reference.js';

const SAY = 'Say: ';
/** An input to which nothing in a workflow refers: all its agents are shown it behind their prompts. */
const SHOWN_INPUT = '\n\n<input name="';

/** What a model is to say back, in its prompt. */
export function toSay(prompt: string): string {
  const [said = ''] = prompt.slice(prompt.indexOf(SAY) + SAY.length).split(SHOWN_INPUT);
  return said;
}

/** The file that is looked at; what a look yields is its one line. */
const SEEN_FILE = 'perdure.yml';

/** What its project has beside it. */
export const PROJECT = {
  [SEEN_FILE]: '{}\n',
  'definitions/agents/parrot.yml': 'name: parrot\nprompt: You say what you are told to say.\n',
};

/**
 * The files of a definition, by path below the project. `log` gets a line when a command starts and one when it ends.
 */
export function toFiles(workflow: ModelWorkflow, log: string): Record<string, string> {
  const files: Record<string, string> = {};
  const write = (one: ModelWorkflow): void => {
    files[`definitions/workflows/${one.name}.yml`] = `${JSON.stringify(authored(one, log), null, 1)}\n`;
    one.steps.forEach(below);
  };
  const below = ({ act }: ModelStep): void => {
    if (act.kind === 'workflow') write(act.workflow);
    if (act.kind === 'block') act.steps.forEach(below);
  };
  write(workflow);
  return files;
}

/** JSON is YAML, so a definition may be written as such. */
function authored({ name, mode, steps, finally: last }: ModelWorkflow, log: string): object {
  const closing = last.map((fails, index) => ({
    id: `f${index}`,
    command: ['sh', '-c', 'printf bye; exit "$0"', fails ? '1' : '0'],
  }));
  return {
    name,
    execution: mode,
    steps: steps.map((step) => written(step, steps, { name, log, repeats: false })),
    ...(closing.length === 0 ? {} : { finally: closing }),
  };
}

interface Around {
  /** The workflow's name. */
  name: string;
  log: string;
  /** Something around repeats: there is an `index`. */
  repeats: boolean;
}

function written(step: ModelStep, siblings: ModelStep[], around: Around): object {
  const idOf = (index: number): string => siblings[index]?.id ?? '';
  const words = step.refers
    .map(({ to, fallback }) => `\${steps.${idOf(to)}.output${fallback === null ? '' : ` ?? "${fallback}"`}}`)
    .join(',');
  const when =
    step.when === null
      ? null
      : `\${steps.${idOf(step.when.step)}.status ${step.when.succeeded ? '==' : '!='} 'success'}`;
  return {
    id: step.id,
    ...repeated(step),
    ...acted(step, words, around),
    ...(step.needs.length === 0 ? {} : { needs: step.needs.map(idOf) }),
    ...(step.group === null ? {} : { parallel_group: step.group }),
    ...(step.on_error === null ? {} : { on_error: step.on_error }),
    ...(when === null ? {} : { when }),
  };
}

function repeated({ repeat }: ModelStep): object {
  switch (repeat?.kind) {
    case undefined:
      return {};
    case 'foreach': {
      const items = Array.from({ length: repeat.items }, (_, index) => `i${index}`);
      const skips = repeat.skips === null ? {} : { when: `\${index != ${repeat.skips}}` };
      return { foreach: repeat.window === null ? items : { items, max_parallel: repeat.window }, ...skips };
    }
    case 'loop':
      return { loop: { until: `\${index == ${repeat.until}}`, max: repeat.max, at_max: repeat.at_max } };
  }
}

const SCRIPT = 'echo "start $0" >> "$4"; printf %s "$1"; echo "end $0" >> "$4"; [ "$2" != all ] && [ "$2" != "$3" ]';

function acted(step: ModelStep, words: string, around: Around): object {
  const { id, act, repeat } = step;
  const index = around.repeats || repeat !== null ? '${index}' : '';
  const said = `${id}#${index}(${words})`;
  switch (act.kind) {
    case 'command':
      return commanded(step, act, { said, index, ...around });
    case 'agent':
      return { agent: 'parrot', prompt: `${SAY}${said}` };
    case 'look':
      return { tool: 'read_file', inputs: { path: act.fails ? 'nowhere' : SEEN_FILE } };
    case 'set':
      return { set: { said } };
    case 'wait':
      return { wait: '5ms' };
    case 'approval':
      return { approval: `Go on at ${id}?`, content: said };
    case 'ask':
      return { ask: said };
    case 'workflow':
      return { workflow: act.workflow.name, ...(words === '' ? {} : { inputs: { given: words } }) };
    case 'block':
      return {
        execution: act.mode,
        steps: act.steps.map((step) => written(step, act.steps, { ...around, repeats: true })),
      };
  }
}

function commanded(
  { id, quick }: ModelStep,
  { fails }: ModelStep['act'] & { kind: 'command' },
  { said, index, name, log }: Around & { said: string; index: string },
): object {
  const failing = fails === true ? 'all' : fails === false ? 'none' : `r${fails}`;
  return {
    command: ['sh', '-c', SCRIPT, `${name}/${id}`, said, failing, `r${index}`, log],
    timeout: quick ? '9s' : '1m',
  };
}
