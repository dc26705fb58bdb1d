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
