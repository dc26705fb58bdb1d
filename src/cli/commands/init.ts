import type { CommandSpec, Invocation } from '../command.js';
import { JSON_OPTION } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, usageError } from '../exit-codes.js';
import type { FoundExample } from '../submit/examples.js';
import { safeLine } from '../text/safe-text.js';
import type { Terminal } from '../terminal.js';
import { asTyped } from '../text/own-name.js';
import { print, printJson, tell } from '../terminal.js';
import { typedCommand } from '../text/own-name.js';

const ANSWERS = ['goal', 'audience', 'style', 'board'] as const;

export const init: CommandSpec = {
  name: 'init',
  summary: 'start a project here, also where there is one already; or write a build spec',
  arguments: [
    { syntax: '[what]', about: '`build` writes a build spec; it asks on a terminal' },
    { syntax: '[name]', about: 'build: name of the spec; made of its goal when left out' },
  ],
  options: [
    { flags: '--goal <text>', about: 'build: what is to be built', free: true },
    { flags: '--audience <ages>', about: 'build: for which ages, such as 8-14' },
    { flags: '--style <text>', about: 'build: how it looks', free: true },
    { flags: '--example <name>', about: 'copy a shipped definition with all that it names', conflicts: 'list' },
    { flags: '--list', about: 'name those definitions' },
    { flags: '--board <name>', about: 'build: the board of perdure.yml that it is for' },
    JSON_OPTION,
  ],
  examples: [
    'perdure init && perdure run hello -i name=World',
    'perdure init --list',
    'perdure init --example review-repository',
    'perdure init build --goal "A page that counts clicks." --audience 8-14',
  ],
  async run(invocation) {
    const [what, name] = invocation.arguments;
    const { options, terminal } = invocation;
    if (what === 'build') return writeSpec(name ?? null, invocation);
    if (what !== undefined)
      throw usageError(`Expected \`build\` or nothing, got \`${what}\`.`, '`perdure init build` writes a build spec.');
    const given = ANSWERS.find((key) => options.text(key) !== null);
    if (given !== undefined) throw usageError(`\`--${given}\` is for \`perdure init build\`.`);
    if (options.flag('list')) return listExamples(options.flag('json'), terminal);
    return start(invocation);
  },
};

async function start({ options, terminal }: Invocation): Promise<ExitCode> {
  const { openWorkspace } = await import('../session.js');
  const { initProject } = await import('../submit/init-project.js');
  const name = options.text('example');
  const example = name === null ? null : await exampleOf(name);
  const { obeyedIn } = await import('../trust/trust-project.js');
  const { setTrust } = await import('../../store/records/trusted-projects.js');
  // What is there is kept: it must be a project's.
  await openWorkspace(terminal, { untrusted: true });
  const isNew = obeyedIn(terminal.cwd).length === 0;
  const { made, kept, found } = initProject(terminal.cwd, example);
  // All that Perdure goes by there was just made: nobody else has written it.
  if (isNew) await setTrust(terminal.cwd, { trusted: true });
  const { triesOf } = await import('../submit/examples.js');
  const tries = example === null ? ['validate definitions', 'run hello -i name=World'] : triesOf(example);
  if (options.flag('json')) printJson(terminal, { made, kept, found });
  else {
    tell(
      terminal,
      ...made.map((file) => `  ${terminal.palette.tone('good', '+')} ${file}`),
      ...kept.map((file) => `  ${terminal.palette.tone('quiet', '=')} ${file} was there`),
    );
    if (found.length > 0) tell(terminal, `  Found ${found.join(', ')}: agents there can be used by name.`);
    tell(terminal, '', 'Try it:', ...tries.map((words) => asTyped(`  perdure ${words}`)));
  }
  return EXIT.success;
}

async function exampleOf(name: string): Promise<FoundExample> {
  const { examplesIn, findExample } = await import('../submit/examples.js');
  const { packageRoot } = await import('../../store/folders/package-root.js');
  const root = packageRoot();
  return { ...findExample(name, examplesIn(root)), root };
}

async function listExamples(json: boolean, terminal: Terminal): Promise<ExitCode> {
  const { examplesIn } = await import('../submit/examples.js');
  const { packageRoot } = await import('../../store/folders/package-root.js');
  const examples = examplesIn(packageRoot());
  if (json) printJson(terminal, examples);
  else {
    const widest = Math.max(...examples.map(({ name }) => name.length));
    for (const { name, description } of examples) print(terminal, `${name.padEnd(widest)}  ${safeLine(description)}`);
  }
  return EXIT.success;
}

async function writeSpec(name: string | null, { options, terminal }: Invocation): Promise<ExitCode> {
  const { openWorkspace } = await import('../session.js');
  const { initBuild } = await import('../build/init-build.js');
  const workspace = await openWorkspace(terminal);
  const [goal, audience, style, board] = ANSWERS.map((key) => options.text(key));
  const made = await initBuild(
    name,
    { goal: goal ?? null, audience: audience ?? null, style: style ?? null, board: board ?? null },
    { workspace, asks: terminal.interactive && !options.flag('json') },
    terminal,
  );
  if (options.flag('json')) printJson(terminal, { made: [made] });
  else
    tell(
      terminal,
      `  ${terminal.palette.tone('good', '+')} ${made}`,
      '',
      'Add requirements to it if you like. Then:',
      `  ${typedCommand('perdure build', [made])}`,
    );
  return EXIT.success;
}
