import type { CommandSpec, Invocation } from '../command.js';
import { JSON_OPTION } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, usageError } from '../exit-codes.js';
import { printJson, tell } from '../terminal.js';

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
    { flags: '--board <name>', about: 'build: the board of perdure.yml that it is for' },
    JSON_OPTION,
  ],
  examples: [
    'perdure init && perdure run hello -i name=World',
    'perdure init build --goal "A page that counts clicks." --audience 8-14',
  ],
  async run(invocation) {
    const [what, name] = invocation.arguments;
    if (what === 'build') return writeSpec(name ?? null, invocation);
    if (what !== undefined)
      throw usageError(`Expected \`build\` or nothing, got \`${what}\`.`, '`perdure init build` writes a build spec.');
    const given = ANSWERS.find((key) => invocation.options.text(key) !== null);
    if (given !== undefined) throw usageError(`\`--${given}\` is for \`perdure init build\`.`);
    return start(invocation);
  },
};

async function start({ options, terminal }: Invocation): Promise<ExitCode> {
  const { openWorkspace } = await import('../session.js');
  const { initProject } = await import('../submit/init-project.js');
  // What is there is kept: it must be a project's.
  await openWorkspace(terminal);
  const { made, kept, found } = initProject(terminal.cwd);
  if (options.flag('json')) printJson(terminal, { made, kept, found });
  else {
    tell(
      terminal,
      ...made.map((file) => `  ${terminal.palette.tone('good', '+')} ${file}`),
      ...kept.map((file) => `  ${terminal.palette.tone('quiet', '=')} ${file} was there`),
    );
    if (found.length > 0) tell(terminal, `  Found ${found.join(', ')}: agents there can be used by name.`);
    tell(terminal, '', 'Try it:', '  perdure validate definitions', '  perdure run hello -i name=World');
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
      `  perdure build ${made}`,
    );
  return EXIT.success;
}
