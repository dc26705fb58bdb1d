import { describe, expect, it } from 'vitest';
import { compileIn, createProject } from '../helpers/temporary-project.js';
import { formatFile } from '../../../src/compiler/fmt/format-file.js';
import { validatePaths } from '../../../src/compiler/validate.js';
import { join } from 'node:path';
import { imported } from './helpers/imported.js';

const ARCHON = 'name: x\nnodes: [{id: a, prompt: x}]\n';

/** Files of other tools, with what in them would be a fault of ours: aliases, `<<`, several documents. */
const FILES: [name: string, file: string, text: string, importable?: boolean][] = [
  [
    'a Lobster workflow',
    'a.yml',
    'steps:\n  - id: a\n    command: gh pr list\n  - id: b\n    command: x\n    stdin: $a.stdout\n' +
      '    approval: required\n',
  ],
  ['a Lobster workflow', 'a.yml', 'steps:\n  - {id: a, run: ls}\n  - {id: b, run: rm x, approval: true}\n'],
  [
    'a Zigflow workflow',
    'a.yml',
    'document: {dsl: 1.0.0, taskQueue: zigflow, workflowType: x}\ndo: [{a: {set: {x: 1}}}]\n',
  ],
  [
    'a CNCF Serverless Workflow',
    'a.yml',
    'document: {dsl: 1.0.0, namespace: x, name: y}\ndo: [{a: &a {set: {x: 1}}}, {b: *a}]\n',
  ],
  [
    'a CNCF Serverless Workflow',
    'a.json',
    '{"id": "x", "specVersion": "0.8", "start": "A", "states": [{"name": "A"}]}',
  ],
  [
    'an n8n workflow',
    'a.json',
    '{"name": "x", "nodes": [{"id": "1", "type": "n8n-nodes-base.start"}], "connections": {}}',
  ],
  [
    'a LangGraph application',
    'langgraph.json',
    '{"dependencies": ["."], "graphs": {"agent": {"path": "./a.py:graph"}}}',
  ],
  [
    'a graph of LangGraph',
    'graph.json',
    '{"nodes": [{"id": "__start__", "type": "schema"}, {"id": "a", "type": "runnable"}], ' +
      '"edges": [{"source": "__start__", "target": "a"}]}',
  ],
  [
    'a Docker Compose file',
    'compose.yml',
    'x-base: &base {image: a}\nservices:\n  web: {<<: *base, ports: ["80"]}\n  db: {image: b}\n',
  ],
  [
    'a GitHub Actions workflow',
    'ci.yml',
    'on: push\nenv: &e {A: b}\njobs: {t: {runs-on: x, env: *e, steps: [{run: y}]}}\n',
  ],
  ['a Kubernetes object', 'k.yml', 'apiVersion: v1\nkind: Pod\n---\napiVersion: v1\nkind: Service\n'],
  ['an Archon workflow', 'a.yml', ARCHON, true],
  ['an Archon workflow', 'a.yml', 'nodes:\n  - &a {id: a, approval: {message: x}}\n  - *a\n', true],
  ['a conductor workflow', 'a.yml', 'workflow: {name: x, entry_point: a}\nagents: [{name: a, prompt: x}]\n', true],
  ['a Goose recipe', 'a.yml', 'version: 1.0.0\ntitle: x\ndescription: y\ninstructions: z\n', true],
];

describe('a file of another tool is named in one sentence, before all that is wrong with it otherwise', () => {
  it.each(FILES)('%s (%s)', (name, file, text, importable = false) => {
    const folder = createProject({ [file]: text });
    const expected = [
      [
        `This seems to be ${name}, which Perdure does not run.`,
        importable ? `\`perdure import ${file}\` writes a definition from it` : null,
      ],
    ];
    const told = (problems: { message: string; suggestion: string | null }[]): unknown =>
      problems.map(({ message, suggestion }) => [message, suggestion]);
    expect(told(compileIn(folder, file).problems)).toEqual(expected);
    expect(told(validatePaths([file], folder).problems)).toEqual(expected);
    if (!file.endsWith('.json')) expect(told(formatFile(join(folder, file), folder).problems)).toEqual(expected);
  });

  it.each(FILES.filter(([, , , importable]) => !importable))(
    '%s (%s) also where it is to be imported',
    (name, file, text) => {
      const { refused } = imported({ [file]: text }, file);
      expect(refused).toEqual([expect.stringContaining(`This seems to be ${name}, which Perdure does not import.`)]);
    },
  );
});

it('files that are none of them are passed by in a folder', () => {
  const { files, refused } = imported({
    'compose.yml': 'services: {web: {image: a}}\n',
    'README.md': '# x\n',
    '.archon/workflows/x.yaml': 'name: x\nnodes: [{id: a, bash: x}]\n',
  });
  expect([refused, Object.keys(files)]).toEqual([[], ['definitions/workflows/x.yml']]);
});
