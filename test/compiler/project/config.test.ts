import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allowancesOf } from '../../../src/compiler/formats/narration.js';
import { loadConfig } from '../../../src/compiler/project/config.js';
import { findProject } from '../../../src/compiler/project/project.js';
import { ALLOWANCES } from '../../../src/plan/narration/allowance.js';
import { brief, createProject } from '../helpers/temporary-project.js';

function load(own: string, glee?: string) {
  const files = glee === undefined ? { 'perdure.yml': own } : { 'perdure.yml': own, '.glee/config.yml': glee };
  const { config, problems } = loadConfig(findProject(createProject(files)));
  return { config, problems: problems.map((problem) => `${problem.file} ${brief(problem)} ${problem.severity}`) };
}

describe('perdure.yml', () => {
  it.each(['', '# only a comment\n', '{}'])('may say nothing: %j', (text) => {
    expect(load(text)).toEqual({ config: {}, problems: [] });
  });

  it('is strict', () => {
    expect(load('workflow: {}\nmodels: {defualt: sonnet}\n').problems).toEqual([
      'perdure.yml 1:1 unknown-key error',
      'perdure.yml 2:10 unknown-key error',
    ]);
  });

  it('says of a price that is missing or wrong that it is a number', () => {
    const { problems } = loadConfig(
      findProject(createProject({ 'perdure.yml': 'models: {prices: {x: {input: -1}}}\n' })),
    );
    expect(problems.map(({ message }) => message).sort()).toEqual([
      'Expected `output`: a number of at least 0.',
      'Expected a number of at least 0, got `-1` (number).',
    ]);
  });

  it('refuses what this version does not do, so that nobody relies on it', () => {
    expect(load('generated_workers_dir: made\n').problems).toEqual(['perdure.yml 1:1 unsupported-key error']);
  });

  it('says what narrator and teacher may use, each by itself; what it leaves open is as usual', () => {
    const { config, problems } = load('narration: {narrator: {max_cost_usd: 0.5}, teacher: {max_tokens: 0}}\n');
    expect(problems).toEqual([]);
    expect(allowancesOf(config.narration)).toEqual({
      narrator: { usd: 0.5, tokens: ALLOWANCES.narrator.tokens },
      teacher: { usd: ALLOWANCES.teacher.usd, tokens: 0 },
    });
    expect(allowancesOf(undefined)).toEqual(ALLOWANCES);
    expect(load('narration: {narrator: {max_cost_usd: -1}}\n').problems).toEqual([
      'perdure.yml 1:38 invalid-value error',
    ]);
  });

  it.each([
    ['providers: {openai: {base_url: "http://ana:s3cret@gpu.example/v1"}}\n', 'perdure.yml 1:32'],
    ['providers: {ollama: {base_url: "http://ana@gpu.example"}}\n', 'perdure.yml 1:32'],
    ['mcp: {far: {url: "https://ana:s3cret@mcp.example/mcp"}}\n', 'perdure.yml 1:18'],
  ])('takes no address with a password, which would stand in histories: %s', (text, place) => {
    expect(load(text).problems).toEqual([`${place} invalid-value error`]);
  });

  it('takes keys of providers as references only', () => {
    expect(load('providers: {anthropic: {key: "${env.KEY}"}}\n').problems).toEqual([]);
    expect(load('providers: {anthropic: {key: sk-ant-123}}\n').problems).toEqual([
      'perdure.yml 1:30 invalid-value error',
    ]);
  });

  it.each([
    [
      'mcp: {github: {command: [npx, server], env: {GITHUB_TOKEN: "${env.GITHUB_TOKEN}", LEVEL: debug}, ' +
        'timeout: 5s}, docs: {url: "https://docs.example.org/mcp", headers: {Authorization: "Bearer ' +
        '${env.DOCS}"}}}',
      [],
    ],
    ['mcp: {github: {command: [npx], env: {GITHUB_TOKEN: planted-token}}}', ['perdure.yml 1:52 invalid-value error']],
    [
      'mcp: {docs: {url: "https://x.example", headers: {X-Api-Key: planted-token}}}',
      ['perdure.yml 1:61 invalid-value error'],
    ],
    ['mcp: {docs: {url: "file:///etc/passwd"}}', ['perdure.yml 1:19 invalid-value error']],
    ['mcp: {docs: {url: "https://x.example", command: [npx]}}', ['perdure.yml 1:19 invalid-value error']],
    ['mcp: {docs: {}}', ['perdure.yml 1:13 missing-key error']],
    ['mcp: {a__b: {command: [npx]}}', ['perdure.yml 1:7 invalid-name error']],
  ])('takes MCP servers with secrets as references only: %s', (text, problems) => {
    expect(load(`${text}\n`).problems).toEqual(problems);
    const { problems: told, sources } = loadConfig(findProject(createProject({ 'perdure.yml': text })));
    expect(JSON.stringify([told, [...sources].filter(() => told.length > 0)])).not.toContain('planted-token');
  });

  it.each([
    ['notify: {command: [notify-send, Perdure], on: [waiting]}', []],
    ['notify: {webhook: "${env.HOOK}"}', []],
    ['notify: {webhook: "https://hooks.example.org/planted-token"}', []],
    ['notify: {email: {server: "smtps://mail.example.org", from: a@example.org, to: [b@example.org]}}', []],
    [
      'notify: {email: {server: "smtp://a:planted-token@mail.example.org", from: a@example.org, to: []}}',
      ['perdure.yml 1:26 invalid-value error', 'perdure.yml 1:94 invalid-value error'],
    ],
    [
      'notify: {email: {server: "smtp://a.example", from: a@x, to: [b@x], user: "${env.U}", password: planted-token}}',
      ['perdure.yml 1:96 invalid-value error'],
    ],
    [
      'notify: {email: {server: "smtp://mail.example.org", from: a@example.org, to: [b@x], tls: false}}',
      ['perdure.yml 1:90 invalid-value error'],
    ],
    [
      'notify: {email: {server: "smtp://mail.example.org", from: a@example.org, to: [b@x], user: "${env.U}"}}',
      ['perdure.yml 1:91 invalid-value error'],
    ],
    ['notify: {webhook: planted-token}', ['perdure.yml 1:19 invalid-value error']],
    [
      'notify: {command: [], on: [ended, started]}',
      ['perdure.yml 1:19 invalid-value error', 'perdure.yml 1:35 invalid-value error'],
    ],
    ['notify: {on: [ended]}', ['perdure.yml 1:10 missing-key error']],
  ])('takes who is told, an address best as a reference: %s', (text, problems) => {
    expect(load(`${text}\n`).problems).toEqual(problems);
    const { problems: told, sources } = loadConfig(findProject(createProject({ 'perdure.yml': text })));
    expect(JSON.stringify([told, [...sources].filter(() => told.length > 0)])).not.toContain('planted-token');
  });

  it('is supplemented by .glee/config.yml, whose unknown keys are warnings', () => {
    const { config, problems } = load(
      'workflows: {max_depth: 3, budgets: {max_steps: 5}}\n',
      'theme: dark\nworkflows: {max_depth: 9, budgets: {max_steps: 9, max_parallel: 2}}\n',
    );
    expect(config).toEqual({ workflows: { max_depth: 3, budgets: { max_steps: 5, max_parallel: 2 } } });
    expect(problems).toEqual(['.glee/config.yml 1:1 unknown-key warning']);
  });

  it('takes the program that Glee prefers from .glee/config.yml', () => {
    expect(load('', 'subagents:\n  default_agent: codex\n')).toMatchObject({
      config: { agents: { default: 'codex' } },
      problems: [],
    });
    expect(load('agents: {default: claude}\n', 'subagents: {default_agent: codex, max_concurrent: 4}\n')).toMatchObject(
      { config: { agents: { default: 'claude' } }, problems: ['.glee/config.yml 1:1 unknown-key warning'] },
    );
    expect(load('', 'subagents: {default_agent: copilot}\n')).toEqual({
      config: {},
      problems: ['.glee/config.yml 1:28 invalid-value warning'],
    });
  });

  it('takes from .glee/config.yml what has another name here, and tells the rest in one warning', () => {
    const glee = 'version: "1"\nsubagents: {default_agent: codex, max_concurrent: 4}\nsessions: {expiry_days: 3}\n';
    const { config, problems } = loadConfig(findProject(createProject({ '.glee/config.yml': glee })));
    expect(config).toEqual({ agents: { default: 'codex' }, sessions: { expire_days: 3 } });
    expect(problems).toMatchObject([
      {
        severity: 'warning',
        line: 1,
        message: "Perdure does not read `version`, `subagents` of Glee's configuration.",
      },
    ]);
    expect(load('sessions: {expire_days: 9}\n', 'sessions: {expiry_days: 3}\n').config).toEqual({
      sessions: { expire_days: 9 },
    });
  });

  it('refuses times of which no moment can be reckoned', () => {
    expect(load('sessions: {expire_days: 36500}\nworkflows: {budgets: {max_runtime_mins: 525600}}\n').problems).toEqual(
      [],
    );
    expect(
      load('sessions: {expire_days: 1000000000}\nworkflows: {budgets: {max_runtime_mins: 1.0e+15}}\n').problems,
    ).toEqual(['perdure.yml 1:25 invalid-value error', 'perdure.yml 2:41 invalid-value error']);
  });

  it('never shows a value that may be a secret', () => {
    const { problems, sources } = loadConfig(
      findProject(createProject({ 'perdure.yml': 'providers: {anthropic: {key: sk-ant-123}}\n' })),
    );
    expect(JSON.stringify([problems, [...sources]])).not.toContain('sk-ant-123');
  });
});

describe('findProject', () => {
  it('takes the nearest folder upwards with perdure.yml, then with .git', () => {
    const root = createProject({ '.git/HEAD': '', 'a/perdure.yml': '', 'a/b/c.yml': '', 'd/e.yml': '' });
    expect(findProject(join(root, 'a/b'))).toEqual({
      root: join(root, 'a'),
      stateDir: join(root, 'a/.perdure'),
      configFile: join(root, 'a/perdure.yml'),
    });
    expect(findProject(join(root, 'd')).root).toBe(root);
  });
});
