import { describe, expect, it } from 'vitest';
import { readFlow } from '../../../src/compiler/formats/flow/document.js';
import { formatFile } from '../../../src/compiler/fmt/format-file.js';
import { createReport } from '../../../src/compiler/problems/problem.js';
import { createSource } from '../../../src/compiler/problems/source.js';
import { compileFlowText, flowPlan } from '../helpers/flow-compile.js';
import { parse, reprint } from '../helpers/flow-text.js';
import { createProject } from '../helpers/temporary-project.js';

const found = (text: string) =>
  compileFlowText(text).problems.map(({ line, severity, code }) => `${line} ${severity} ${code}`);
const FLOW = 'Explore:"Look":seen -> Plan:"Plan with {seen}"';
const embedded = (below: string) => `---\nname: t\nworkflow: |\n  ${FLOW}\n---\n${below}`;

describe('a flow as people write it', () => {
  it.each([
    ['a title for a name', `---\nname: "Fix: the tests!"\n---\n${FLOW}`, []],
    ['prose below a flow in the front matter', embedded('This explores.\nIt says: don\'t stop "here".\n'), [6]],
    ['such prose with a line that looks like a heading', embedded('About it.\n\nworkflow: explore, then plan\n'), [6]],
    ['prose before the heading', `---\nname: t\n---\nThis explores.\nIt's short.\n\nWorkflow:\n${FLOW}\n`, [4]],
    ['a note behind the flow', `${FLOW}\n\n---\n**Note:** runs long (10 min), see [docs].\n`, [3]],
    ['a note with arrows', `${FLOW}\n---\n## Notes\n* Explore -> Plan is all\nIt may || must run.\n`, [2]],
    [
      'parameters that are no YAML',
      `---\nname: t\nparams:\n  input: Where (default: src)\n  Since: a tag\n---\n${FLOW}`,
      [],
    ],
    ['a note of one word', `${FLOW}\n---\nDone\n`, [2]],
  ])('is read with %s', (_what, text, warned) => {
    const { plan } = compileFlowText(text);
    expect(plan?.steps).toHaveLength(2);
    expect(found(text).filter((one) => one.endsWith('unexpected-text'))).toEqual(
      warned.map((line) => `${line} warning unexpected-text`),
    );
  });

  it('has parameters that are no YAML, with their defaults', () => {
    const params = 'params:\n  input: Where to look (default: src)\n  since: v1: or later';
    const { plan, problems } = compileFlowText(`---\n${params}\n---\nExplore:"{{input}} {{since}}"`);
    expect(problems).toMatchObject([{ code: 'invalid-yaml', severity: 'warning' }]);
    expect(plan?.inputs).toMatchObject({
      input: { default: 'src', description: 'Where to look' },
      since: { required: true, description: 'v1: or later' },
    });
  });

  it('has its title as its description where it has none', () => {
    const read = (front: string) => {
      const { report } = createReport();
      return readFlow(createSource('/a.flow', 'a.flow', `---\n${front}\n---\n${FLOW}`), report)?.authored.description;
    };
    expect(read('name: "Fix the tests"')).toBe('Fix the tests');
    expect(read('name: "Fix the tests"\ndescription: Fixes.')).toBe('Fixes.');
    expect(read('name: fix-tests')).toBeUndefined();
    expect(flowPlan(`---\nname: "Fix the tests"\n---\n${FLOW}`).name).toBe('a');
    expect(flowPlan(`---\nname: fix-tests\n---\n${FLOW}`).name).toBe('fix-tests');
  });

  it('is refused where it is written twice', () => {
    expect(found(embedded('Explore:"Look again" -> Plan'))).toEqual(['3 error conflicting-keys']);
    expect(found(embedded('$a := {base: "Explore", prompt: "x"}'))).toEqual(['3 error conflicting-keys']);
    expect(found(`${FLOW}\n---\nPlan:"Again"`)).toEqual(['3 error missing-operator']);
    expect(found(`${FLOW}\n---\nExplore -> Plan`)).toEqual(['3 error missing-operator']);
    expect(found(`${FLOW}\n---\n(if all success)~> Plan -> @ok`)).toEqual(['3 error missing-operator']);
  });

  const DEFINED = '$guide := {base: "Explore", prompt: "You guide."}';
  it.each([
    ['behind the arrows', `Explore:"a":seen ->\n$guide:"b {seen}"\n\n${DEFINED}\n`],
    ['behind an arrow that goes on', `Explore:"a":seen ->\n${DEFINED}\n$guide:"b {seen}"`],
    ['before an arrow that goes on', `Explore:"a":seen\n${DEFINED}\n-> $guide:"b {seen}"`],
    ['before a condition', `Explore:"a":seen\n${DEFINED}\n(if seen)~> $guide:"b {seen}"`],
    ['behind a heading', `Explore:"a":seen ->\n$guide:"b {seen}"\n---\nDefinitions:\n${DEFINED}\n`],
  ])('may define its agents %s', (_where, text) => {
    expect(found(text)).toEqual([]);
    expect(flowPlan(text).steps.map(({ needs }) => needs.map(({ step }) => step))).toEqual([[], [0]]);
    expect(parse(reprint(text)).problems).toEqual([]);
  });

  it('keeps what it does not read when it is formatted', () => {
    for (const text of [
      `${FLOW}\n\n---\nA note, # with a mark\n`,
      embedded('About it.\n'),
      `---\nname: t\n---\nAbout it.\n\nWorkflow:\n${FLOW}`,
    ]) {
      const root = createProject({ 'a.flow': text });
      const formatted = formatFile(`${root}/a.flow`, root).text ?? '';
      for (const said of ['Look', text.includes('About it.') ? 'About it.' : 'A note, # with a mark'])
        expect(formatted.split(said)).toHaveLength(2);
      const again = createProject({ 'a.flow': formatted });
      expect(formatFile(`${again}/a.flow`, again).text).toBe(formatted);
    }
  });
});

describe('a gate that captures', () => {
  it('gives what was approved a name', () => {
    const plan = flowPlan('Explore:"a":draft -> @ok:"Good? {draft}":final -> Plan:"Do {final}"');
    expect(plan.steps[1]).toMatchObject({ kind: 'approval', id: 'ok' });
    expect(plan.steps[2]).toMatchObject({ prompt: { parts: ['Do ', { expression: { root: 'step:1.output' } }] } });
    expect(reprint('@ok:"Good?":final')).toBe('@ok:"Good?":final\n');
  });

  it('has the parts of the output that it shows', () => {
    const plan = flowPlan('Explore:"a" -> @ok:"Good?":final -> Plan:"Do {final.title}"');
    expect(plan.steps[0]).toMatchObject({ schema: { properties: { title: {} } } });
  });

  it('may do so later in a loop', () => {
    expect(found('@try -> Plan:"a {final}" -> @ok:"Good?":final -> (if failed)~> @try')).toEqual([]);
  });
});

describe('a text that a flow gives a name to', () => {
  const promptOf = (text: string) => {
    const [step] = flowPlan(text).steps;
    return step?.kind === 'agent' ? step.prompt : null;
  };

  it('stands where its name stands in braces', () => {
    expect(promptOf('$DIR := "src"\nExplore:"Look in {DIR}."')).toMatchObject({ value: 'Look in src.' });
    expect(promptOf('$MAX := "{{MAX:10}}"\nExplore:"At most {MAX}."')).toMatchObject({
      parts: ['At most ', { expression: { kind: 'coalesce', right: { value: '10' } } }, '.'],
    });
    expect(promptOf('$A := "a"\n$B := "{A}-{{P}}"\nExplore:"{B}!"')).toMatchObject({
      parts: ['a-', { expression: { root: 'input:P' } }, '!'],
    });
    expect(flowPlan('$MAX := "{{MAX:10}}"\nExplore:"At most {MAX}."').inputs).toMatchObject({ MAX: { default: '10' } });
  });

  it('may be compared', () => {
    expect(found('$MODE := "{{MODE:fast}}"\nExplore:"a":a (if MODE == "fast")~> Plan:"b {a}"')).toEqual([]);
  });

  it('prints as itself', () => {
    expect(reprint('$A:="a {{P:1}}" # why\nExplore:"{A}"')).toBe('$A := "a {{P:1}}" # why\n\nExplore:"{A}"\n');
  });

  it.each([
    ['twice', '$A := "a"\n$A := "b"\nExplore:"{A}"', ['2 error duplicate-name']],
    ['that braces cannot hold', '$a-b := "a"\nExplore:"x"', ['1 error invalid-name']],
    ['before what it uses', '$A := "{B}"\n$B := "b"\nExplore:"{A}"', ['1 error unknown-variable']],
    ['with parts', '$A := "a"\nExplore:"{A.b}"', ['2 error invalid-value']],
  ])('is refused %s', (_what, text, problems) => {
    expect(found(text)).toEqual(problems);
  });
});
