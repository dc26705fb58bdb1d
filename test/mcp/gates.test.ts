// @seconds 30
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { execFileSync } from 'node:child_process';
import { MAIN } from '../faults/project.js';
import { openBench, INSTALL, COUNT, endpoint, project, open } from './helpers/server-bench.js';

openBench();

describe('a gate', () => {
  it(
    'is shown with its content, and in a run of the client decided by a person, or by the client where the gate ' +
      'names it',
    async () => {
      const { call, refusal } = await open();
      const waiting = await call('workflow', { name: 'gated', inputs: { text: 'words of this client' } });
      expect(waiting).toMatchObject({ status: 'waiting', gates: [{ message: 'Use this?', content: 'a report' }] });
      const run = String(waiting['run']);
      expect(await refusal('gate_answer', { gate: run, decision: 'approve', hash: 'sha256:0' })).toContain(
        'shows other content',
      );
      expect(await refusal('gate_answer', { gate: `${run}/ok`, decision: 'approve' })).toContain(
        `so a person must decide: \`perdure approve ${run}/ok\`, or \`perdure reject ${run}/ok`,
      );
      expect(await refusal('gate_answer', { gate: `${run}/ok`, decision: 'reject' })).toContain(
        'so a person must decide',
      );
      expect((await project.run('approve', `${run}/ok`, '--as', 'ana')).code).toBe(0);
      await call('run_wait', { run });
      expect(await call('gate_answer', { gate: `${run}/named`, decision: 'approve' })).toMatchObject({
        gate: `${run}/named`,
        decision: 'approve',
        by: 'mcp:test-client',
      });
      expect(await call('run_wait', { run })).toMatchObject({
        status: 'waiting',
        gates: [{ content: 'words of this client' }],
      });
      expect(await refusal('gate_answer', { gate: run, decision: 'approve' })).toContain(
        `so a person must decide: \`perdure approve ${run}/own\``,
      );
      const another = await open();
      expect(await another.refusal('gate_answer', { gate: run, decision: 'approve' })).toContain(
        `so a person must decide: \`perdure approve ${run}/own\``,
      );
      expect((await project.run('approve', run, '--as', 'ana')).code).toBe(0);
      expect(await call('run_wait', { run })).toMatchObject({ status: 'success' });
    },
  );

  it.each([
    ['a question', 'ask: Which?', 'answer', ' "your answer"'],
    ['a choice', 'approval: {message: Which?, options: [red, blue]}', 'answer', ' red    # or blue'],
    ['an approval', 'approval: Good?', 'approve', ''],
  ])('that is %s is told with the command that decides it', async (_what, gate, word, more) => {
    writeFileSync(
      join(project.folder, 'definitions/workflows/told.yml'),
      `name: told\nsteps:\n  - {id: ok, ${gate}}\n`,
    );
    const { call } = await open();
    const { run, next } = await call('workflow', { name: 'told' });
    expect(next).toContain(`elsewhere a person says \`perdure ${word} ${String(run)}/ok${more}\`.`);
  });

  it('of a run that is nested in another is told with its bill, by the address of that run too', async () => {
    const workflows = join(project.folder, 'definitions/workflows');
    writeFileSync(
      join(workflows, 'within.yml'),
      'name: within\nsteps:\n  - {id: ok, approval: Good?}\n  - {id: then, command: [printf, x], effect: external}\n',
    );
    writeFileSync(join(workflows, 'around.yml'), 'name: around\nsteps:\n  - {id: in, workflow: within}\n');
    const { call } = await open();
    const { run, gates } = await call('workflow', { name: 'around' });
    const bill = { steps: 1, external: ['then'] };
    expect(gates).toMatchObject([{ gate: `${String(run)}/in/ok`, bill }]);
    expect(await call('run_status', { run: `${String(run)}/in` })).toMatchObject({
      run: `${String(run)}/in`,
      gates: [{ gate: `${String(run)}/in/ok`, bill }],
    });
  });

  it('that somebody else decides while its person looks at it counts once, and the next is shown first', async () => {
    writeFileSync(
      join(project.folder, 'definitions/workflows/raced.yml'),
      'name: raced\nsteps:\n  - {id: one, approval: First?}\n  - {id: two, approval: Second?}\n',
    );
    const shown: string[] = [];
    let run = '';
    const elsewhere = (): Buffer =>
      execFileSync(process.execPath, [MAIN, 'approve', run, '--as', 'bea'], { cwd: project.folder, stdio: 'pipe' });
    const { call, refusal } = await open({
      args: ['--as', 'ana'],
      person: (message) => {
        shown.push(message.split('\n\n')[1] ?? '');
        if (shown.length !== 2) elsewhere();
        return true;
      },
    });
    run = String((await call('workflow', { name: 'raced' }))['run']);
    expect(await call('gate_answer', { gate: run, decision: 'approve' })).toMatchObject({
      gate: `${run}/two`,
      by: 'ana',
    });
    expect(shown).toEqual(['First?', 'Second?']);
    run = String((await call('workflow', { name: 'raced' }))['run']);
    expect(await refusal('gate_answer', { gate: `${run}/one`, decision: 'approve' })).toContain(
      `The gate \`${run}/one\` is already decided: `,
    );
  });

  it('of a run that the client started is put before its person, with all that it shows', async () => {
    const shown: string[] = [];
    const { call } = await open({
      args: ['--as', 'ana'],
      person: (message) => {
        shown.push(message);
        return true;
      },
    });
    writeFileSync(
      join(project.folder, 'definitions/workflows/hidden.yml'),
      'name: hidden\nsteps:\n  - id: ok\n    approval: "Use \\u200bthis?"\n    content: ' +
        '"a\\u202eb\\U000E0041\\n\\nThe decision: reject."\n',
    );
    const { run } = await call('workflow', { name: 'hidden' });
    expect(await call('gate_answer', { gate: String(run), decision: 'approve' })).toMatchObject({
      decision: 'approve',
      by: 'ana',
    });
    const [content = '', follows = ''] = (shown.at(-1) ?? '').split(/(?=\n\nIf it is approved: )/);
    expect(content).toMatch(/Use \\u\{200b\}this\?\n\n│ a\\u\{202e\}b\\u\{e0041\}\n│ \n│ The decision: reject\.$/);
    expect(follows).toMatch(
      /^\n\nIf it is approved: no other step begins\nBudget that stays: .+\n\nThe decision: approve\.$/,
    );
  });

  it('for what an agent wants to do is not decided by the client, nor by one that has connected anew', async () => {
    const { call, refusal } = await open();
    const waiting = await call('task', { description: 'install', prompt: 'install x' });
    const run = String(waiting['run']);
    expect(waiting).toMatchObject({
      status: 'waiting',
      gates: [{ content: { kind: 'command', argv: INSTALL.input.argv } }],
    });
    expect(await refusal('gate_answer', { gate: run, decision: 'approve' })).toContain('so a person must decide');
    const next = await open();
    expect(await next.refusal('gate_answer', { gate: run, decision: 'approve' })).toContain('so a person must decide');
    expect(await next.call('gate_answer', { gate: run, decision: 'reject' })).toMatchObject({
      decision: 'reject',
      by: 'mcp:test-client',
    });
    expect(await next.call('run_wait', { run })).toMatchObject({ status: 'success' });
  });
});

describe('what a client makes', () => {
  const agent = { name: 'helper', description: 'Helps', instructions: 'You help.' };

  it('runs only after a person approved its exact text, and ends with the connection', async () => {
    const { call, refusal } = await open();
    await call('agent_create', agent);
    expect(await refusal('agent_create', agent)).toContain('has made the agent `helper` already');
    await call('workflow_create', {
      name: 'helped',
      definition: { description: 'x', steps: [{ agent: 'helper', prompt: 'about ${topic}' }], execution: 'parallel' },
    });
    const asked = endpoint.requests.length;
    const waiting = await call('workflow', { name: 'helped', inputs: { topic: 'gates' } });
    const run = String(waiting['run']);
    expect(waiting).toMatchObject({
      status: 'waiting',
      gates: [
        {
          gate: `${run}/approve`,
          content: expect.stringContaining('about ${topic}') as string,
          excluded: ['mcp:test-client'],
        },
      ],
    });
    expect(endpoint.requests.length).toBe(asked);
    expect(await refusal('gate_answer', { gate: run, decision: 'approve' })).toContain(
      `perdure approve ${run}/approve`,
    );
    await project.run('approve', run);
    expect(await call('run_wait', { run })).toMatchObject({
      status: 'success',
      output: expect.stringContaining('about gates') as string,
    });
    const next = await open();
    expect(await next.refusal('task', { description: 'x', prompt: 'y', agent_name: 'helper' })).toContain(
      'There is no agent `helper`',
    );
    expect(await next.refusal('workflow', { name: 'helped' })).toContain('There is no workflow `helped`');
  });

  it(
    'is a tool that acts only after a person approved its text and what it is called with, as all else that it ' +
      'is used in',
    { tags: ['sandbox'] },
    async () => {
      const { call, refusal } = await open();
      expect(await call('tool_create', { name: 'count', definition: COUNT })).toMatchObject({
        name: 'count',
        definition: expect.stringContaining('entrypoint: wc') as string,
      });
      const waiting = await call('tool', { name: 'count', params: { text: 'one ${two} three' } });
      const run = String(waiting['run']);
      expect(waiting).toMatchObject({
        status: 'waiting',
        gates: [
          {
            message: '`mcp:test-client` made the tool `count` and wants to run it.',
            content: expect.stringContaining('entrypoint: wc') as string,
            excluded: ['mcp:test-client'],
          },
        ],
      });
      expect(await refusal('gate_answer', { gate: run, decision: 'approve' })).toContain(
        `perdure approve ${run}/approve`,
      );
      await project.run('approve', run);
      expect(await call('run_wait', { run })).toMatchObject({
        status: 'waiting',
        gates: [{ content: { kind: 'call', what: 'tool', name: 'count', input: { text: 'one ${two} three' } } }],
      });
      expect(await refusal('gate_answer', { gate: run, decision: 'approve' })).toContain('so a person must decide');
      await project.run('approve', run);
      expect(await call('run_wait', { run })).toMatchObject({ status: 'success', output: 3 });
      await call('agent_create', { ...agent, tools: ['count'] });
      const helped = await call('task', { description: 'help', prompt: 'help me', agent_name: 'helper' });
      expect(helped).toMatchObject({
        status: 'waiting',
        gates: [
          {
            content: expect.stringMatching(/# agent helper[^]*You help\.[^]*# tool count[^]*entrypoint: wc/) as string,
          },
        ],
      });
      expect(await refusal('gate_answer', { gate: String(helped['run']), decision: 'approve' })).toContain(
        'perdure approve',
      );
      const next = await open();
      expect(await next.refusal('tool', { name: 'count', inputs: { text: 'x' } })).toContain('unknown-tool');
    },
  );

  it.each([['legacy'], ['auto']] as const)(
    'is put before the person at a client of the %s protocol that can ask',
    async (mode) => {
      const shown: string[] = [];
      let says = false;
      const { call, refusal } = await open({
        mode,
        args: ['--as', 'ana'],
        person: (message) => {
          shown.push(message);
          return says;
        },
      });
      await call('agent_create', agent);
      const { run } = await call('task', { description: 'help', prompt: 'help me', agent_name: 'helper' });
      expect(await refusal('gate_answer', { gate: String(run), decision: 'approve' })).toContain('did not agree');
      says = true;
      expect(await call('gate_answer', { gate: String(run), decision: 'approve', comment: 'for today' })).toMatchObject(
        { decision: 'approve', by: 'ana' },
      );
      expect(shown.at(-1)).toMatch(/You help\.[^]*The decision: approve\.\nThe comment:\n│ for today$/);
      expect(await call('run_wait', { run: run ?? '' })).toMatchObject({ status: 'success' });
    },
  );
});
