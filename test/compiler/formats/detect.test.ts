import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/compiler/text/disk.js';
import { compileIn, createProject } from '../helpers/temporary-project.js';

function messagesOf(name: string, text: string): string[] {
  return compileIn(createProject({ [name]: text }), name).problems.map(({ code, message }) => `${code}: ${message}`);
}

const FOREIGN: [string, string, string][] = [
  [
    'a GitHub Actions workflow',
    'ci.yml',
    'name: CI\non:\n  push:\n    branches: [main]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    ' +
      'steps:\n      - uses: actions/checkout@v4\n      - run: npm test\n',
  ],
  [
    'a GitHub Actions workflow',
    'call.yml',
    'on: workflow_call\njobs:\n  call:\n    uses: ./.github/workflows/ci.yml\n',
  ],
  [
    'a GitHub action',
    'action.yml',
    'name: Greet\ndescription: Greets\nruns:\n  using: composite\n  steps:\n    - run: echo hi\n      shell: bash\n',
  ],
  [
    'a Dependabot configuration',
    'dependabot.yml',
    'version: 2\nupdates:\n  - package-ecosystem: npm\n    directory: /\n',
  ],
  [
    'a Docker Compose file',
    'docker-compose.yml',
    'services:\n  web:\n    image: nginx\n    ports: ["80:80"]\nvolumes:\n  data:\n',
  ],
  [
    'an npm package manifest',
    'package.json',
    '{"name": "x", "version": "1.0.0", "scripts": {"test": "vitest"}, "dependencies": {"zod": "4"}}',
  ],
  ['an npm package manifest', 'package.json', '{"name": "x", "version": "1.0.0", "private": true}'],
  ['an npm lock file', 'package-lock.json', '{"name": "x", "version": "1.0.0", "lockfileVersion": 3, "packages": {}}'],
  ['a TypeScript configuration', 'tsconfig.json', '{"compilerOptions": {"strict": true}, "include": ["src"]}'],
  [
    'a GitLab pipeline',
    '.gitlab-ci.yml',
    'stages: [test]\ntest:\n  stage: test\n  script:\n    - npm ci\n    - npm test\n',
  ],
  [
    'a CircleCI configuration',
    'config.yml',
    'version: 2.1\norbs:\n  node: circleci/node@5\njobs:\n  test:\n    docker:\n      - image: ' +
      'cimg/node:20.1\n    steps: [checkout]\nworkflows:\n  all:\n    jobs: [test]\n',
  ],
  [
    'a Bitbucket pipeline',
    'bitbucket-pipelines.yml',
    'image: node:20\npipelines:\n  default:\n    - step:\n        script: [npm test]\n',
  ],
  [
    'an Azure pipeline',
    'azure-pipelines.yml',
    'trigger: [main]\npool:\n  vmImage: ubuntu-latest\nsteps:\n  - script: npm test\n    displayName: Test\n',
  ],
  ['a Buildkite pipeline', 'pipeline.yml', 'steps:\n  - label: Test\n    command: npm test\n'],
  [
    'a Google Cloud build',
    'cloudbuild.yaml',
    'steps:\n  - name: gcr.io/cloud-builders/docker\n    args: [build, "."]\n',
  ],
  [
    'a Drone pipeline',
    '.drone.yml',
    'kind: pipeline\ntype: docker\nname: default\nsteps:\n  - name: test\n    image: node\n    commands: [npm test]\n',
  ],
  ['a Travis CI configuration', '.travis.yml', 'language: node_js\nnode_js: [20]\nscript: npm test\n'],
  [
    'an Argo workflow',
    'argo.yaml',
    'apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {generateName: hello-}\nspec: {entrypoint: hello}\n',
  ],
  ['a Tekton pipeline', 'task.yaml', 'apiVersion: tekton.dev/v1\nkind: Task\nmetadata: {name: hello}\n'],
  ['a Kubernetes object', 'deployment.yaml', 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n'],
  ['a Helm chart', 'Chart.yaml', 'apiVersion: v2\nname: web\nversion: 0.1.0\n'],
  ['an OpenAPI description', 'openapi.yaml', 'openapi: 3.1.0\ninfo: {title: T, version: "1"}\npaths: {}\n'],
  ['a Taskfile', 'Taskfile.yml', "version: '3'\ntasks:\n  test:\n    cmds: [npm test]\n"],
  ['an Ansible playbook', 'site.yml', '- hosts: web\n  tasks:\n    - name: ping\n      ping:\n'],
  [
    'a pre-commit configuration',
    '.pre-commit-config.yaml',
    'repos:\n  - repo: https://example.org/x\n    rev: v1\n    hooks: [{id: black}]\n',
  ],
  ['a CloudFormation template', 'stack.yaml', 'Resources:\n  Bucket:\n    Type: AWS::S3::Bucket\n'],
  [
    'an AWS Step Functions state machine',
    'machine.json',
    '{"StartAt": "A", "States": {"A": {"Type": "Pass", "End": true}}}',
  ],
  ['a CNCF Serverless Workflow', 'zig.yaml', 'document:\n  dsl: 1.0.0\n  namespace: x\n  name: hello\ndo: []\n'],
  ['an n8n workflow', 'n8n.json', '{"name": "x", "nodes": [], "connections": {}}'],
  ['a CrewAI file of agents', 'agents.yaml', 'researcher:\n  role: Researcher\n  goal: Find\n  backstory: Long\n'],
  ['a list of MCP servers', 'mcp.json', '{"mcpServers": {"x": {"command": "node"}}}'],
  ['a JSON Schema', 'x.schema.json', '{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}'],
  ['a makefile', 'Makefile', '.PHONY: test\ntest: build\n\tnpm test\n'],
  ['a Dockerfile', 'Dockerfile', 'FROM node:20\nWORKDIR /app\nCOPY . .\nRUN npm ci\n'],
  ['a Jenkins pipeline', 'Jenkinsfile', 'pipeline {\n  agent any\n}\n'],
  ['a script', 'run.yml', '#!/bin/sh\nset -e\necho hi\n'],
  ['a table of data', 'people.csv', 'name,age\nAda,36\n'],
  ['a file of environment variables', '.env', 'PORT=80\n'],
  ['a Python program', 'app.py', 'import os\n\ndef main():\n    print("x")\n'],
  ['a JavaScript or TypeScript program', 'app.ts', 'import x from "y";\n'],
  ['a shell script', 'deploy.sh', 'set -e\n'],
  ['a file of settings in INI', 'setup.cfg', '[a]\nb = c\n'],
  ['a Cargo manifest', 'Cargo.toml', '[package]\nname = "x"\nversion = "0.1.0"\n[dependencies]\nserde = "1"\n'],
  ['a Python project', 'pyproject.toml', '[project]\nname = "x"\n'],
  ['a Kustomization', 'kustomization.yaml', 'resources: [deployment.yaml]\nnamePrefix: dev-\n'],
  ['an ESLint configuration', '.eslintrc.json', '{"extends": "standard", "rules": {"semi": "error"}}'],
  [
    'a Goose recipe',
    'goose.yaml',
    'version: 1.0.0\ntitle: T\nprompt: Go\nextensions: [{type: builtin, name: developer}]\n',
  ],
  [
    'an Archon workflow',
    'archon.yaml',
    'name: x\nnodes:\n  - {id: plan, command: plan}\n  - {id: do, prompt: Do, depends_on: [plan]}\n',
  ],
  [
    'a workflow of Netflix Conductor',
    'conductor.json',
    '{"name": "x", "tasks": [{"name": "t", "taskReferenceName": "r"}]}',
  ],
  ['an HTML page', 'page.yml', '<!doctype html>\n<title>x</title>\n'],
];

describe('a file that is nearly a definition', () => {
  it.each([
    ['name: x\nstep:\n  - agent: Explore\n', 'missing-key 2:1 did you mean `steps`?'],
    ['- agent: Explore\n  prompt: x\n', 'invalid-value 1:3 put the steps under `steps:`'],
  ])('is told what is missing: %j', (text, problem) => {
    expect(
      compileIn(createProject({ 'own.yml': text }), 'own.yml').problems.map(
        ({ code, line, column, suggestion }) => `${code} ${line}:${column} ${suggestion ?? ''}`,
      ),
    ).toEqual([problem]);
  });
});

describe('a file of another tool', () => {
  it.each(FOREIGN)('is said to be %s (%s)', (name, file, text) => {
    expect(messagesOf(file, text)).toEqual([`foreign-file: This seems to be ${name}, which Perdure does not run.`]);
  });

  it('is told from a definition of ours with like keys', () => {
    const steps = 'steps:\n  - {id: a, agent: Explore, prompt: Look.}\n';
    for (const extra of [
      'version: 1\n',
      'pool: x\n',
      'services: {web: {image: x}}\n',
      'language: en\nscript: x\n',
      'jobs: {a: {runs-on: x}}\non: push\n',
    ]) {
      expect(messagesOf('own.yml', extra + steps).filter((message) => message.startsWith('foreign-file'))).toEqual([]);
    }
  });

  it('is none of those that are shipped', () => {
    const folder = join(packageRoot(), 'definitions');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (file) => /\.(?:ya?ml|json|md|flow|agent|toml)$/.test(file) && !file.startsWith('invalid'),
    );
    expect(files.length).toBeGreaterThan(15);
    for (const file of files)
      expect(
        messagesOf(file.replaceAll('/', '-'), readFileSync(join(folder, file), 'utf8')).filter((message) =>
          message.startsWith('foreign-file'),
        ),
        file,
      ).toEqual([]);
  });
});
