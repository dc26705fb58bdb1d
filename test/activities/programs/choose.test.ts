import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { permissionsFrom } from '../../../src/compiler/agents/permissions.js';
import { describe, expect, it } from 'vitest';
import { choosePlayers } from '../../../src/activities/agents/choose-players.js';
import type { ChoosePlayers } from '../../../src/activities/agents/choose-players.js';
import { programFor } from '../../../src/activities/programs/heuristics.js';
import type { Plan } from '../../../src/plan/plan.js';
import type { ProgramName } from '../../../src/plan/agents/program.js';
import { PROGRAMS, programOf } from '../../../src/plan/agents/program.js';
import type { Agent, AgentStep } from '../../../src/plan/step.js';
import type { ProviderToolName } from '../../../src/plan/tools/tool.js';
import type { Hash } from '../../../src/plan/values/value.js';
import { plan, stepBase } from '../../plan/helpers/build-plan.js';
import { AGENT, literal, reference, temporaryFolder } from '../helpers/harness.js';

const NOWHERE = { OLLAMA_HOST: 'http://127.0.0.1:1' };

/** A PATH on which these programs are. */
async function pathWith(programs: readonly ProgramName[]): Promise<string> {
  const folder = await temporaryFolder();
  for (const name of programs) {
    await writeFile(join(folder, name), '#!/bin/sh\n');
    await chmod(join(folder, name), 0o755);
  }
  return folder;
}

function planOf(...tasks: { prompt: string | null; agent?: Partial<Agent>; model?: string }[]): Plan {
  const agents: Record<Hash, Agent> = {};
  const steps = tasks.map(({ prompt, agent = {}, model }, index): AgentStep => {
    const hash: Hash = `sha256:${String(index).repeat(64)}`;
    agents[hash] = { ...AGENT, name: 'helper', description: null, prompt: literal('You help.'), ...agent };
    return {
      ...stepBase(index),
      kind: 'agent',
      agent: hash,
      prompt: prompt === null ? reference('input:request') : literal(prompt),
      inputs: {},
      model: model ?? null,
      schema: null,
      rehearsal: null,
    };
  });
  return plan(steps, { agents });
}

async function choose(made: Plan, programs: readonly ProgramName[], options: Partial<ChoosePlayers> = {}) {
  return choosePlayers({
    plan: made,
    options: {},
    rehearse: false,
    usual: null,
    ...options,
    env: { PATH: await pathWith(programs), ...NOWHERE, ...options.env },
  });
}

/** Who plays each step by the chosen settings, as the interpreter finds it. */
function playersOf(made: Plan, chosen: Awaited<ReturnType<typeof choosePlayers>>): (string | null)[] {
  if ('failure' in chosen) throw new Error(chosen.failure);
  return made.steps.map((step) => {
    if (step.kind !== 'agent') return null;
    const choice = programOf(chosen.programs, step, made.agents[step.agent], `/${step.index}`);
    return choice === null ? null : `${choice.program}${choice.model === null ? '' : ` ${choice.model}`}`;
  });
}

describe('who plays an agent', () => {
  it('is the program that it names, with the model that it names', async () => {
    const made = planOf(
      { prompt: 'Go.', agent: { program: 'codex', model: 'gpt-5.5' } },
      { prompt: 'Go.', agent: { program: 'claude', model: 'opus' } },
      { prompt: 'Go.', agent: { program: 'gemini' } },
    );
    const chosen = await choose(made, PROGRAMS);
    expect(playersOf(made, chosen)).toEqual(['codex gpt-5.5', 'claude claude-opus-5-5', 'gemini']);
  });

  it('is nobody when the named program is missing: the run does not start, and says how to install it', async () => {
    const chosen = await choose(planOf({ prompt: 'Go.', agent: { program: 'codex' } }), ['claude']);
    expect(chosen).toMatchObject({
      failure: expect.stringMatching(/`helper` needs the program `codex`.*npm install -g @openai\/codex/) as unknown,
    });
  });

  it('is a model provider where one is configured, though programs are installed', async () => {
    const made = planOf({ prompt: 'Review this.' });
    expect(playersOf(made, await choose(made, PROGRAMS, { env: { ANTHROPIC_API_KEY: 'key' } }))).toEqual([null]);
  });

  it('is the program that fits the task best where no provider is there', async () => {
    const made = planOf(
      { prompt: 'Look up the news on Temporal.' },
      { prompt: 'Refactor this.' },
      { prompt: 'Summarize it.' },
      { prompt: 'Do it.' },
    );
    expect(playersOf(made, await choose(made, PROGRAMS))).toEqual(['gemini', 'codex', 'claude', 'codex']);
    expect(playersOf(made, await choose(made, ['claude', 'gemini']))).toEqual(['gemini', 'claude', 'claude', 'claude']);
  });

  it('is chosen by what the run is given, and by the agent where the task says nothing', async () => {
    const made = planOf(
      { prompt: null },
      { prompt: 'Go.', agent: { description: 'Explains things.', prompt: literal('You explain, and do research.') } },
    );
    const chosen = await choose(made, PROGRAMS, { input: { request: 'What is a monad?' } });
    expect(playersOf(made, chosen)).toEqual(['gemini', 'gemini']);
  });

  it('is `agents.default` for all that name neither program nor provider', async () => {
    const made = planOf(
      { prompt: 'Go.' },
      { prompt: 'Go.', agent: { program: 'codex' } },
      { prompt: 'Go.', model: 'anthropic:claude-opus-4-6' },
    );
    const chosen = await choose(made, PROGRAMS, { usual: 'gemini', env: { ANTHROPIC_API_KEY: 'key' } });
    expect(playersOf(made, chosen)).toEqual(['gemini', 'codex', null]);
  });

  it("is told a model of its own only: another's name is no choice for a program chosen for the agent", async () => {
    const made = planOf({ prompt: 'Fix it.', model: 'opus' }, { prompt: 'Explain it.', model: 'opus' });
    expect(playersOf(made, await choose(made, PROGRAMS))).toEqual(['codex', 'claude claude-opus-5-5']);
  });

  it('is nobody where there is neither provider nor program, and the failure names both ways', async () => {
    expect(await choose(planOf({ prompt: 'Go.' }), [])).toMatchObject({
      failure: expect.stringMatching(/ANTHROPIC_API_KEY.*`claude`, `codex` or `gemini`/s) as unknown,
    });
  });

  it('is a stand-in in a rehearsal, whatever is installed', async () => {
    const chosen = await choose(planOf({ prompt: 'Go.', agent: { program: 'codex' } }), [], { rehearse: true });
    expect(chosen).toMatchObject({ models: { '': { provider: 'rehearsal' } } });
    expect(chosen).not.toHaveProperty('programs');
  });

  it('reserves by a known price, else by the dearest that is known', async () => {
    const chosen = await choose(planOf({ prompt: 'Go.', agent: { program: 'claude', model: 'haiku' } }), PROGRAMS);
    expect(chosen).toMatchObject({
      programs: { choices: { 'claude haiku': { price: { input: 0.1, output: 0.5 } }, claude: { assumed: true } } },
    });
  });
});

it.each<[string, ProgramName]>([
  ['Search the web for it', 'gemini'],
  ['the LATEST release', 'gemini'],
  ['What  is this?', 'gemini'],
  ['security review', 'codex'],
  ['debug it', 'codex'],
  ['Write a poem', 'claude'],
  ['prefix and suffix', 'codex'],
  ['rewrites', 'codex'],
  ['newsletter', 'codex'],
  ['help me understand it', 'claude'],
])('`%s` is a task for %s', (text, program) => {
  expect(programFor([text], new Set(PROGRAMS))).toBe(program);
});

describe('an agent with tools of its provider', () => {
  const env = { OPENAI_API_KEY: 'test-key', ANTHROPIC_API_KEY: 'test-key' };
  const using = (name: ProviderToolName, model?: string): Plan =>
    planOf({
      prompt: 'Do it.',
      ...(model === undefined ? {} : { model }),
      agent: { uses: [{ kind: 'provider', name }] },
    });

  it.each<[ProviderToolName, string, string | null]>([
    ['web_search', 'sonnet', null],
    ['web_fetch', 'sonnet', null],
    ['code_execution', 'sonnet', null],
    ['web_fetch', 'openai:gpt-5', "it is Anthropic's, and the agent's model is `openai:gpt-5`"],
    ['code_execution', 'openai:gpt-5', "it is Anthropic's"],
    ['image_generation', 'sonnet', 'no provider here has it'],
  ])('`%s` with `%s` is settled before the run starts', async (tool, model, failure) => {
    const chosen = await choose(using(tool, model), [], { env });
    if (failure === null) expect(chosen).toHaveProperty('models');
    else
      expect(chosen).toMatchObject({
        failure: expect.stringMatching(
          new RegExp(`^\`${tool}\` of the agent \`helper\` is unavailable: ${failure}`),
        ) as string,
      });
    expect(await choose(using(tool, model), [], { env, rehearse: true })).toHaveProperty('models');
  });

  it('may be played by a program as far as the web goes, of which programs have tools', async () => {
    expect(await choose(using('web_fetch'), ['claude'], { usual: 'claude' })).toHaveProperty('programs');
    expect(await choose(using('code_execution'), ['claude'], { usual: 'claude' })).toMatchObject({
      failure: expect.stringContaining('a program plays the agent') as string,
    });
  });
});

describe('a program that cannot be held to an agent, or lacks its tools', () => {
  const disallowed = (program: string, ...names: string[]): Plan =>
    planOf({ prompt: 'Do it.', agent: { program, tools: ['Edit', 'Write', 'WebSearch'], disallowed: names } });

  it.each([
    ['claude', 'Read'],
    ['claude', 'Write'],
    ['codex', 'WebSearch'],
    ['gemini', 'Bash'],
    ['gemini', 'Bash(git push)'],
  ])('plays it where it can be: %s without `%s`', async (program, name) => {
    expect(await choose(disallowed(program, name), PROGRAMS)).toHaveProperty('programs');
  });

  it.each([
    ['codex', 'Bash'],
    ['codex', 'Read'],
    ['codex', 'Write'],
    ['gemini', 'Grep'],
    ['gemini', 'Write'],
  ])('stops the run before it starts: %s without `%s`', async (program, name) => {
    expect(await choose(disallowed(program, name), PROGRAMS)).toMatchObject({
      failure: expect.stringContaining(`\`${program}\` cannot play the agent \`helper\`: \`${name}\``) as string,
    });
  });

  it('is not taken for one that may write certain paths alone', async () => {
    const limited = planOf({
      prompt: 'Do it.',
      agent: { permissions: { ...permissionsFrom([], false), writable: ['src/'] } },
    });
    expect(await choose(limited, ['claude'], { usual: 'claude' })).toMatchObject({
      failure: expect.stringContaining('nothing holds to the paths under `writable`') as string,
    });
  });

  it('is not taken for one with tools that no program has', async () => {
    const made = planOf({
      prompt: 'Do it.',
      agent: { uses: [{ kind: 'agent', name: 'seeker', description: null, agent: `sha256:${'e'.repeat(64)}` }] },
    });
    expect(await choose(made, ['claude'], { usual: 'claude' })).toMatchObject({
      failure:
        '`claude` cannot play the agent `helper`: it has no `seeker`. Give the agent a model of a provider ' +
        '(`model: anthropic:sonnet`).',
    });
  });
});

describe('an agent that shall search the web', () => {
  const searching = (model: string): Plan =>
    planOf({ prompt: 'Look it up.', model, agent: { uses: [{ kind: 'builtin', name: 'web_search' }] } });

  it('stops a run whose model cannot, before it starts', async () => {
    const env = { OPENAI_API_KEY: 'test-key', ANTHROPIC_API_KEY: 'test-key' };
    expect(await choose(searching('openai:gpt-5'), [], { env })).toMatchObject({
      failure: expect.stringContaining('`web_search` of the agent `helper` is unavailable') as string,
    });
    expect(await choose(searching('sonnet'), [], { env })).toHaveProperty('models');
    expect(await choose(searching('openai:gpt-5'), [], { env, rehearse: true })).toHaveProperty('models');
  });

  it('stops it as well when another agent asks that one, or one that asks it', async () => {
    const env = { OPENAI_API_KEY: 'test-key', ANTHROPIC_API_KEY: 'test-key' };
    const seeker: Hash = `sha256:${'e'.repeat(64)}`;
    const editor: Hash = `sha256:${'f'.repeat(64)}`;
    const asks = (name: string, agent: Hash): Partial<Agent> => ({
      uses: [{ kind: 'agent', name, description: null, agent }],
    });
    const withSeeker = (model: string, first: Partial<Agent>): Plan => {
      const made = planOf({ prompt: 'Go.', model: 'sonnet', agent: first });
      const others = {
        [seeker]: {
          ...AGENT,
          name: 'seeker',
          model,
          uses: [{ kind: 'builtin' as const, name: 'web_search' as const }],
        },
        [editor]: { ...AGENT, name: 'editor', ...asks('seeker', seeker) },
      };
      return plan(made.steps, { agents: { ...made.agents, ...others } });
    };
    for (const first of [asks('seeker', seeker), asks('editor', editor)]) {
      expect(await choose(withSeeker('openai:gpt-5', first), [], { env })).toMatchObject({
        failure: expect.stringContaining('`web_search` of the agent `seeker` is unavailable') as string,
      });
      expect(await choose(withSeeker('sonnet', first), [], { env })).toHaveProperty('models');
    }
    expect(await choose(withSeeker('openai:gpt-5', {}), [], { env })).toHaveProperty('models');
  });
});
