import { describe, expect, it } from 'vitest';
import { compileFlowText } from '../helpers/flow-compile.js';
import { compileText } from '../helpers/temporary-project.js';

const TWINS = {
  'definitions/agents/review.yml': 'name: review\nprompt: One.\n',
  'definitions/agents/review.md': '---\nname: review\ndescription: Two.\n---\nTwo.\n',
};
const TOLD =
  'More than one file has the name `review`: `definitions/agents/review.md`, `definitions/agents/review.yml`.';

describe('an agent whose name two files of one folder have', () => {
  it.each([
    ['review:"Go."', 'beside nothing of its name'],
    ['$review := {base: "Explore", prompt: "Mine."}\nreview:"Go."', 'beside a role of its name'],
  ])('is refused in a flow, with both files: %j, %s', (text) => {
    const { plan, problems } = compileFlowText(`${text}\n`, TWINS);
    expect(plan).toBeNull();
    expect(problems.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code: 'unknown-agent', message: TOLD, suggestion: 'names of files in one folder are unique: rename one' },
    ]);
  });

  it.each([
    ['lead.yml', 'name: lead\nprompt: You lead.\ntools: [review]\n'],
    ['lead.agent', '---\nname: lead\ntoolsets: [review]\n---\nYou lead.\n'],
  ])('is refused where another agent uses it: %s', (file, text) => {
    const { plan, problems } = compileText('steps: [{agent: lead}]\n', {
      ...TWINS,
      [`definitions/agents/${file}`]: text,
    });
    expect(plan).toBeNull();
    expect(problems.map(({ message }) => message)).toEqual([TOLD]);
  });

  it('is an agent to a step that calls it as a tool', () => {
    expect(compileText('steps: [{tool: review}]\n', TWINS).problems).toMatchObject([
      { message: 'There is no tool `review`.', suggestion: 'it is an agent: write `agent: review`' },
    ]);
  });
});
