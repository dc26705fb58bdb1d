import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileMade } from '../../../src/compiler/made/compile-made.js';
import { compileIn, createProject } from '../helpers/temporary-project.js';

const PLACE = 'definitions/agents/a.yml';
const FORBID = '- {before: "*", command: "exit 2"}';

const agent = (hooks: string, more = 'tools: [shell]'): string =>
  `name: a\n${more}\nprompt: You act.\nhooks:\n  ${hooks}\n`;

function errorsOf(files: Record<string, string>, file = PLACE): string[] {
  const { problems } = compileIn(createProject(files), file);
  return problems.map(({ severity, message, suggestion }) => `${severity}: ${message} ${suggestion ?? ''}`);
}

describe('hooks of an agent', () => {
  it('are in the Plan, each with when it runs and for how long', () => {
    const files = { [PLACE]: agent(`${FORBID}\n  - {after: Write|Edit, command: "true", timeout_s: 5}`) };
    const { plan } = compileIn(createProject(files), PLACE);
    expect(Object.values(plan?.agents ?? {})[0]?.hooks).toEqual([
      { when: 'before', tools: '*', command: 'exit 2', timeout_ms: 60_000 },
      { when: 'after', tools: 'Write|Edit', command: 'true', timeout_ms: 5_000 },
    ]);
  });

  it('name the hash of a file that they run, and following what the problem says compiles', () => {
    const script = 'exit 0\n';
    const hash = `sha256:${createHash('sha256').update(script).digest('hex')}`;
    const head = '- {before: "*", command: "bash tools/guard.sh"';
    const [error, ...rest] = errorsOf({ 'tools/guard.sh': script, [PLACE]: agent(`${head}}`) });
    expect(rest).toEqual([]);
    expect(error).toContain(`write \`files: {"tools/guard.sh": "${hash}"}\``);
    const mended = agent(`${head}, files: {"tools/guard.sh": "${hash}"}}`);
    expect(errorsOf({ 'tools/guard.sh': script, [PLACE]: mended })).toEqual([]);
    const [changed] = errorsOf({ 'tools/guard.sh': 'exit 1\n', [PLACE]: mended });
    expect(changed).toContain('`tools/guard.sh` has changed since this hook was approved');
  });

  it.each([
    'cd tools && ./guard.sh',
    'cd tools; . ./guard.sh',
    'bash ROOT/tools/guard.sh',
    'bash $PWD/tools/guard.sh',
    'bash "$(pwd)/tools/guard.sh"',
    'D=tools; bash $D/guard.sh',
    'env -C tools bash guard.sh',
    'cd definitions && bash ../tools/guard.sh',
    'bash tools/gu\\ard.sh',
    'bash tools/gu""ard.sh',
    'bash tools//./guard.sh',
    'bash -c "cd tools && bash guard.sh"',
  ])('name a file however their line does: %s', (line) => {
    const root = createProject({ 'tools/guard.sh': 'exit 0\n' });
    const command = JSON.stringify(line.replace('ROOT', root));
    mkdirSync(join(root, 'definitions/agents'), { recursive: true });
    writeFileSync(join(root, PLACE), agent(`- {before: "*", command: ${command}}`));
    const { problems } = compileIn(root, PLACE);
    expect(problems.map(({ message }) => message)).toEqual([
      'This hook runs `tools/guard.sh`, and `files` does not say what of it was approved.',
    ]);
  });

  it.each(['bash tools/*.sh', 'bash tools/guard.{sh,x}', 'bash tools/gu?rd.sh', 'bash tools/$(echo guard).sh'])(
    'do not name files by what only a shell finds out: %s',
    (line) => {
      const files = {
        'tools/guard.sh': 'exit 0\n',
        [PLACE]: agent(`- {before: "*", command: ${JSON.stringify(line)}}`),
      };
      expect(errorsOf(files).join('\n')).toMatch(
        /only a shell knows which files it means\. Write out the path of each/,
      );
    },
  );

  it.each([
    'jq -e \'.tool_input.command | test("rm.*/") | not\'',
    'grep -qE "(rm|mv) .*src/" && exit 2; exit 0',
    'find . -name "*.ts" | head',
  ])('may have patterns that name no file: %s', (line) => {
    const files = { 'src/a.ts': '', [PLACE]: agent(`- {before: "*", command: ${JSON.stringify(line)}}`) };
    expect(errorsOf(files)).toEqual([]);
  });

  it.each([
    ['out/definitions/agents/a.yml', agent(FORBID), 'nobody has approved these'],
    ['a.yml', agent(FORBID), 'nobody has approved these'],
    [PLACE, agent(FORBID, 'agent: claude\ntools: [Bash]'), 'around which no hook runs'],
    [PLACE, agent('- {command: "true"}'), 'Expected a hook to say one of'],
    [PLACE, agent('- {before: "*", after: "*", command: "true"}'), 'Expected a hook to say one of'],
    [PLACE, agent('- {before: "(", command: "true"}'), 'a regular expression'],
    [PLACE, agent(FORBID, 'tools: [shell, workflow_create]'), 'do not reach the steps of workflows'],
    [PLACE, agent(FORBID, 'tools: [shell]\npermissions: {deny: ["command:bash*"]}'), 'This hook may not run'],
  ])('are refused in %s: %s', (file, text, message) => {
    expect(errorsOf({ [file]: text }, file).join('\n')).toContain(message);
  });

  it('are refused in what a run makes, whatever its file would be called', () => {
    const root = createProject({});
    const steps = 'name: w\nsteps: [{id: s, agent: a, prompt: Go.}]\n';
    const made = { file: 'definitions/workflows/w.yml', text: steps, agents: { [PLACE]: agent(FORBID) } };
    const { plan, problems } = compileMade(made, root);
    expect(plan).toBeNull();
    expect(problems).toContain('nobody has approved these');
  });

  it('are told that they do not see a search of the provider', () => {
    expect(errorsOf({ [PLACE]: agent(FORBID, 'tools: [web_search]') })).toEqual([
      expect.stringMatching(/^warning: Where the provider of its model searches the web/),
    ]);
  });
});
