import { describe, expect, it } from 'vitest';
import { brief, compileIn, createProject } from '../helpers/temporary-project.js';
import { HELPER, MAIN, MANIFEST } from '../helpers/project-compile.js';

type Files = Record<string, string>;
const agent = (front: string, name = 'main'): string => `---\nname: ${name}\n${front}\n---\nYou work.\n`;
const manifest = (change: object = {}): Files => ({
  'project.json': JSON.stringify({ ...MANIFEST, ...change }, null, 1),
});
const BOTH = { agent_files: ['main.agent', 'helper.agent'] };
const TWO = { ...manifest(BOTH), 'helper.agent': HELPER };

/** Its one problem, the fix that is told, and the file as it is when the fix was followed. */
type Row = [what: string, files: Files, problem: string, fix: string | null, mended: Files];

const ROWS: Row[] = [
  ['version 2', manifest({ version: 2 }), 'project.json 2:13 invalid-value', 'write `1`', manifest()],
  [
    'an entry function, with its file',
    manifest({ entry: { function: 'main.py:run' }, python_files: ['main.py'] }),
    'project.json 5:15 python-only',
    'name an agent as the entry',
    manifest(),
  ],
  [
    'a toolset of Python that two agents name',
    {
      ...manifest({ ...BOTH, python_files: ['tools.py'] }),
      'main.agent': agent('toolsets: [deck_tools]'),
      'helper.agent': agent('toolsets: [deck_tools]', 'helper'),
    },
    'main.agent 3:12 python-only',
    'take it out; what it did can be a `tool.yml` under `definitions/tools`, named under `tools`',
    { ...TWO, 'main.agent': MAIN },
  ],
  [
    'a toolset that is an agent, misspelled, beside Python',
    { ...TWO, ...manifest({ ...BOTH, python_files: ['tools.py'] }), 'main.agent': agent('toolsets: [helpr]') },
    'main.agent 3:12 unknown-toolset',
    'did you mean `helper`?',
    { ...TWO, 'main.agent': agent('toolsets: [helper]') },
  ],
  [
    'a callee with a key that is not there: the caller names it rightly',
    { ...TWO, 'main.agent': agent('toolsets: [helper]'), 'helper.agent': agent('entry: true', 'helper') },
    'helper.agent 3:1 unknown-key',
    null,
    { ...TWO, 'main.agent': agent('toolsets: [helper]') },
  ],
  [
    'a callee with faults beside Python',
    {
      ...manifest({ ...BOTH, python_files: ['tools.py'] }),
      'main.agent': agent('toolsets: [helper]'),
      'helper.agent': agent('model: anthropic:haiku\ncompatible_models: ["*"]', 'helper'),
    },
    'helper.agent 4:1 conflicting-keys',
    'keep one of them',
    { ...TWO, 'main.agent': agent('toolsets: [helper]') },
  ],
  [
    'an entry agent without front matter',
    { ...manifest(), 'main.agent': 'You work.\n' },
    'main.agent 1:1 unsupported-format',
    null,
    manifest(),
  ],
  [
    'settings of a toolset',
    { ...manifest(), 'main.agent': agent('toolsets: [{filesystem_project: {root: data}}]') },
    'main.agent 3:12 invalid-value',
    null,
    { ...manifest(), 'main.agent': agent('toolsets: [filesystem_project]') },
  ],
  [
    'an entry twice',
    { ...TWO, 'main.agent': agent('toolsets: [helper, helper]') },
    'main.agent 3:20 duplicate-name',
    'keep one of them',
    { ...TWO, 'main.agent': agent('toolsets: [helper]') },
  ],
  [
    'two toolsets with tools of one name',
    { ...manifest(), 'main.agent': agent('toolsets: [filesystem_cwd, filesystem_project_ro]') },
    'main.agent 3:28 duplicate-name',
    'keep one of the two toolsets',
    { ...manifest(), 'main.agent': agent('toolsets: [filesystem_cwd]') },
  ],
  [
    'a class for its input',
    { ...manifest(), 'main.agent': agent('input_model_ref: models.Deck') },
    'main.agent 3:1 python-only',
    'take it out: the agent is asked in words',
    manifest(),
  ],
  [
    'an older key of that',
    { ...manifest(), 'main.agent': agent('schema_in_ref: models.Deck') },
    'main.agent 3:1 unknown-key',
    null,
    manifest(),
  ],
  [
    'a file that is not there, whose agent is the entry',
    manifest({ agent_files: ['mian.agent'] }),
    'project.json 8:4 unreadable-file',
    'did you mean `main.agent`?',
    manifest(),
  ],
  [
    'a file twice',
    manifest({ agent_files: ['main.agent', 'main.agent'] }),
    'project.json 9:3 duplicate-name',
    'keep one of each',
    manifest(),
  ],
  [
    'no files',
    manifest({ agent_files: [] }),
    'project.json 7:2 missing-key',
    'list the agents: `"agent_files": ["main.agent"]`',
    manifest(),
  ],
  [
    'an attachment that is not there',
    manifest({ entry: { agent: 'main', args: { input: 'Read.', attachments: ['deck.txt'] } } }),
    'project.json 9:5 unreadable-file',
    'put a text, a PDF or an image beside the manifest, or take it out of `attachments`',
    { ...manifest({ entry: { agent: 'main', args: { input: 'Read.', attachments: ['deck.txt'] } } }), 'deck.txt': 'x' },
  ],
  [
    'an attachment that an object cannot have as a key',
    {
      ...manifest({ entry: { agent: 'main', args: { input: 'Read.', attachments: ['__proto__'] } } }),
      ['__proto__']: 'x',
    },
    'project.json 9:5 unreadable-file',
    'put a text, a PDF or an image beside the manifest, or take it out of `attachments`',
    { ...manifest({ entry: { agent: 'main', args: { input: 'Read.', attachments: ['proto'] } } }), proto: 'x' },
  ],
];

describe('a project with one fault', () => {
  it.each(ROWS)('%s: is told once, where it is, and the fix mends it', (...row) => {
    const [, files, problem, fix, mended] = row;
    const { plan, problems } = compileIn(createProject({ 'main.agent': MAIN, ...files }), '.');
    const errors = problems.filter(({ severity }) => severity === 'error');
    expect(errors.map((one) => `${one.file} ${brief(one)}`)).toEqual([problem]);
    expect(plan).toBeNull();
    if (fix !== null) expect(errors[0]?.suggestion).toBe(fix);
    const again = compileIn(createProject({ 'main.agent': MAIN, ...mended }), '.');
    expect(again.problems.map(brief)).toEqual([]);
    expect(again.plan).not.toBeNull();
  });
});
