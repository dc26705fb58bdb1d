import { describe, expect, it } from 'vitest';
import { compileFlowText, flowPlan } from '../helpers/flow-compile.js';
import { compileIn, createProject } from '../helpers/temporary-project.js';

const FILE = '---\nname: code-reviewer\ndescription: x\n---\nYou review.\n';
const told = ({ problems }: ReturnType<typeof compileFlowText>) =>
  problems.map(({ file, line, column, code }) => `${file}:${line}:${column} ${code}`);

describe('a temporary agent with the name of a built-in one', () => {
  it('is refused in a flow', () => {
    expect(told(compileFlowText('$Code-Reviewer := {base: "Plan", prompt: "x"}\n$Code-Reviewer:"go"'))).toEqual([
      'a.flow:1:2 reserved-name',
    ]);
  });

  it('is refused in its file, where a definition names it and where the file itself is compiled', () => {
    const files = { 'temp-agents/code-reviewer.md': FILE };
    expect(told(compileFlowText('code-reviewer:"go":found -> code-reviewer:"again {found}"', files))).toEqual([
      'temp-agents/code-reviewer.md:2:7 reserved-name',
    ]);
    expect(told(compileIn(createProject(files), 'temp-agents/code-reviewer.md'))).toEqual([
      'temp-agents/code-reviewer.md:2:7 reserved-name',
    ]);
  });
});

describe('the base of a temporary agent', () => {
  const based = (more: string) => ({
    'temp-agents/scout.md': `---\nname: scout\ndescription: x\n${more}\n---\nYou look.\n`,
  });
  const toolsIn = (plan: Pick<ReturnType<typeof flowPlan>, 'agents'>) =>
    Object.values(plan.agents).flatMap(({ name, tools, uses = [] }) =>
      name === 'scout' ? [[name, tools, uses.length > 0]] : [],
    );

  it('gives it its tools, as that of an agent in a flow does', () => {
    const inline = toolsIn(flowPlan('$scout := {base: "Explore", prompt: "You look."}\n$scout:"a"'));
    expect(inline).toEqual([['scout', expect.arrayContaining(['Read']), true]]);
    expect(toolsIn(flowPlan('$scout:"a"', based('base: Explore')))).toEqual(inline);
    expect(
      toolsIn(compileIn(createProject(based('base: Explore')), 'temp-agents/scout.md').plan ?? { agents: {} }),
    ).toEqual(inline);
  });

  it('gives none to one that names its own', () => {
    expect(toolsIn(flowPlan('$scout:"a"', based('base: Explore\ntools: [Glob]')))).toEqual([['scout', ['Glob'], true]]);
  });

  it('may have a base itself, and may be the agent itself', () => {
    const files = {
      ...based('base: lead'),
      'temp-agents/lead.md': '---\nname: lead\ndescription: x\nbase: Explore\n---\nYou lead.\n',
    };
    expect(toolsIn(flowPlan('$scout:"a"', files))).toEqual([['scout', expect.arrayContaining(['Read']), true]]);
    expect(toolsIn(flowPlan('$scout:"a"', based('base: scout')))).toEqual([['scout', [], false]]);
  });

  it('is a problem where there is none of that name', () => {
    const { problems } = compileFlowText('$scout:"a"', based('base: Explor'));
    expect(problems.map(({ file, line, column, code, suggestion }) => [file, line, column, code, suggestion])).toEqual([
      ['temp-agents/scout.md', 4, 7, 'unknown-agent', 'did you mean `Explore`?'],
    ]);
    expect(told(compileFlowText('$scout:"a"', based('base: [Explore]')))).toEqual([
      'temp-agents/scout.md:4:7 invalid-value',
    ]);
  });
});

describe('an agent of another tool that names no tools', () => {
  const agent = (more = '') => `---\nname: fixer\ndescription: x${more}\n---\nYou mend.\n`;

  it('is told once, used where it stands: there it has all', () => {
    const { problems } = compileFlowText('fixer:"a":found -> fixer:"b {found}"', {
      '.claude/agents/fixer.md': agent(),
    });
    expect(problems.map(({ severity, file, line, code }) => `${severity} ${file}:${line} ${code}`)).toEqual([
      'warning .claude/agents/fixer.md:2 missing-key',
    ]);
    expect(problems[0]).toMatchObject({
      message: expect.stringContaining('Claude Code gives such an agent all tools; here it has none'),
      suggestion: 'name those that it needs: `tools: [Read, Edit, "Bash(npm test)"]`',
    });
  });

  it.each([
    ['.claude/agents/fixer.md', '\ntools: Read'],
    ['.claude/agents/fixer.md', '\nbase: Explore'],
    ['definitions/agents/fixer.md', ''],
    ['temp-agents/fixer.md', ''],
  ])('is not told in %s with %j', (file, more) => {
    expect(compileFlowText('fixer:"a"', { [file]: agent(more) }).problems).toEqual([]);
  });
});

it('temporary agents are marked in the Plan, others are not', () => {
  const plan = flowPlan('$one := {base: "Plan", prompt: "x"}\n$one:"a" -> two:"b" -> Plan:"c"', {
    'temp-agents/two.md': FILE.replace('code-reviewer', 'two'),
  });
  expect(
    Object.values(plan.agents)
      .map(({ name, temporary = false }) => `${name} ${String(temporary)}`)
      .sort(),
  ).toEqual(['Plan false', 'one true', 'two true']);
});
