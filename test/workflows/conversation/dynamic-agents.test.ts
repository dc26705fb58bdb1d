import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../src/plan/step.js';
import { PERMISSIONS } from '../helpers/conversing.js';
import type { Turn } from '../helpers/making.js';
import {
  openForAll,
  harness,
  MAKING,
  CREATE,
  open,
  run,
  gateOf,
  decide,
  last,
  said,
  toolsIn,
} from '../helpers/making.js';

openForAll();

describe('an agent that makes agents', () => {
  it('calls what it made from the next turn on, by its name and with agent_call, and no tool disappears', async () => {
    const call = { name: 'agent_call', input: { agent: 'judge', input: 'Judge it.', attachments: ['deck.txt'] } };
    const { output, requests, folder, id } = await run(
      [() => ({ tools: [CREATE] }), () => ({ tools: [call, { name: 'judge', input: { input: 'Once more.' } }] }), said],
      (request) =>
        request.results.count === 0 && request.prompt.includes('Judge it.')
          ? { tools: [{ name: 'read_file', input: { path: 'deck.txt' } }] }
          : { text: request.prompt.includes('Once more.') ? 'WATCH' : `GO ${last(request).includes('bicycles')}` },
    );
    expect(output).toBe('GO true | WATCH');
    expect(await readFile(join(folder, 'generated/judge.agent'), 'utf8')).toBe(
      `---\n# Made in run ${id}\nname: judge\ndescription: Judges a deck.\ntools:\n  - read_file\n---\n\n` +
        'You judge decks.\n',
    );
    const [first, second] = requests.filter(({ system }) => system.includes('You work.')).map(toolsIn);
    expect(second).toEqual([...(first ?? []), 'judge']);
    const asked = requests.filter(({ system }) => system.includes('You judge decks.'));
    expect(toolsIn(asked[0]!)).toEqual(['read_file']);
    expect(asked.find(({ prompt }) => prompt.includes('Judge it.'))?.prompt).toContain(
      '<input name="deck.txt" trusted="false"',
    );
  });

  it('may call it in the turn that made it', async () => {
    const { output } = await run([
      () => ({ tools: [CREATE, { name: 'agent_call', input: { agent: 'judge', input: 'Judge it.' } }] }),
      said,
    ]);
    expect(output).toBe('judge | GO');
  });

  it('waits until a person has approved the file, word for word', async () => {
    const { handle, endpoint, folder } = await open([() => ({ tools: [CREATE] }), said], () => ({ text: '' }), {
      permissions: PERMISSIONS,
    });
    const gate = await gateOf(handle);
    expect(gate).toMatchObject({
      kind: 'tool',
      message: expect.stringContaining('It makes the agent `judge`.') as string,
    });
    expect(await harness.json(gate.content)).toMatchObject({
      what: 'agent',
      name: 'judge',
      content: { file: 'generated/judge.agent', text: expect.stringContaining('You judge decks.') as string },
    });
    expect(existsSync(join(folder, 'generated'))).toBe(false);
    await decide(handle, gate, 'reject');
    expect(await harness.json((await handle.result()).output)).toMatch(/^failed: Not allowed by ana/);
    expect(existsSync(join(folder, 'generated'))).toBe(false);
    await endpoint.close();
  });

  it('asks what it made only what a person has seen, where calls need that', async () => {
    const input = { input: 'Judge it.', attachments: ['deck.txt'] };
    const { handle, endpoint } = await open(
      [() => ({ tools: [CREATE] }), () => ({ tools: [{ name: 'judge', input }] }), said],
      () => ({ text: 'GO' }),
      { permissions: { ...MAKING, ask: ['made', 'read:deck.txt'] } },
    );
    const gate = await gateOf(handle);
    expect(await harness.json(gate.content)).toEqual({
      kind: 'call',
      what: 'made',
      name: 'judge',
      files: ['deck.txt'],
      attached: [
        {
          path: 'deck.txt',
          bytes: expect.any(Number) as number,
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        },
      ],
      input,
    });
    await decide(handle, gate, 'approve');
    expect(await harness.json((await handle.result()).output)).toBe('GO');
    await endpoint.close();
  });

  it('does not know in the next run what it made in this one, and is told who made it', async () => {
    const { folder, id } = await run([() => ({ tools: [CREATE] }), said]);
    const call = { name: 'agent_call', input: { agent: 'judge', input: 'Judge it.' } };
    const { output } = await run(
      [
        () => ({ tools: [call, CREATE] }),
        () => ({ tools: [call] }),
        (request) => ({ text: `${request.results.count} ${last(request)}` }),
        said,
      ],
      () => ({ text: 'GO' }),
      {},
      { workspace: folder },
    );
    expect(output).toBe('3 GO');
    const { output: told } = await run(
      [() => ({ tools: [call] }), said],
      () => ({ text: 'GO' }),
      {},
      { workspace: folder },
    );
    expect(told).toContain('is known there only. To keep it a person promotes it');
    expect(id).not.toBe('');
  });

  it('is not in the way of the next run, which makes one of that name with another text', async () => {
    const made = (instructions: string): Turn[] => [
      () => ({ tools: [{ ...CREATE, input: { ...CREATE.input, instructions } }] }),
      () => ({ tools: [{ name: 'judge', input: { input: 'Judge it.' } }] }),
      said,
    ];
    const first = await run(made('You judge decks.'), () => ({ text: 'GO' }));
    const next = await run(
      made('You judge them anew.'),
      ({ system }) => ({ text: String(system.includes('anew')) }),
      {},
      { workspace: first.folder },
    );
    expect([first.output, next.output]).toEqual(['GO', 'true']);
    const files = await Promise.all(
      ['judge.agent', `judge.${next.id}.agent`].map((file) => readFile(join(first.folder, 'generated', file), 'utf8')),
    );
    expect(files[0]).toContain(`# Made in run ${first.id}\n`);
    expect(files[0]).toContain('You judge decks.');
    expect(files[1]).toContain(`# Made in run ${next.id}\n`);
    expect(files[1]).toContain('You judge them anew.');
  });

  it.each<[string, Turn[], Partial<Agent>, RegExp]>([
    [
      'an agent that nobody made',
      [() => ({ tools: [{ name: 'agent_call', input: { agent: 'nobody', input: 'x' } }] }), said],
      {},
      /^failed: Dynamic agent 'nobody' not found\. Available: \[\]$/,
    ],
    [
      'a name that it has used',
      [
        () => ({ tools: [CREATE] }),
        () => ({ tools: [{ ...CREATE, input: { ...CREATE.input, name: 'JUDGE' } }] }),
        said,
      ],
      {},
      /^failed: .*(?:has made the agent `judge` already|the name of a tool)/,
    ],
    [
      'tools that it lacks',
      [() => ({ tools: [{ ...CREATE, input: { ...CREATE.input, tools: ['http_request'] } }] }), said],
      {},
      /which its maker may not/,
    ],
    [
      'a place that nobody has configured',
      [() => ({ tools: [CREATE] }), said],
      { uses: [{ kind: 'maker', name: 'agent_create' }] },
      /`generated_agents_dir` is not configured/,
    ],
    [
      'an attachment that is not there',
      [
        () => ({ tools: [CREATE] }),
        () => ({ tools: [{ name: 'judge', input: { input: 'x', attachments: ['no.txt'] } }] }),
        said,
      ],
      {},
      /^failed: Attachment not found: no\.txt$/,
    ],
    [
      'an attachment from elsewhere',
      [
        () => ({ tools: [CREATE] }),
        () => ({ tools: [{ name: 'judge', input: { input: 'x', attachments: ['../secret'] } }] }),
        said,
      ],
      {},
      /[Nn]ot allowed.*outside/,
    ],
  ])('is told about %s', async (_what, turns, fields, expected) => {
    const { output } = await run(turns, undefined, fields);
    expect(output).toMatch(expected);
  });

  it('cannot let what it made do more than itself', async () => {
    const create = { ...CREATE, input: { ...CREATE.input, tools: ['write_file', 'agent_create', 'agent_call'] } };
    const { output, folder } = await run(
      [() => ({ tools: [create] }), () => ({ tools: [{ name: 'judge', input: { input: 'Go.' } }] }), said],
      (request) => {
        if (request.results.count === 0)
          return {
            tools: [
              { name: 'write_file', input: { path: 'out.txt', content: 'x' } },
              { name: 'agent_create', input: { ...CREATE.input, name: 'inner', tools: ['shell'] } },
            ],
          };
        return { text: last(request) };
      },
      { permissions: { ...MAKING, protected: ['/out.txt'] } },
    );
    expect(output).toMatch(/Not allowed: `out\.txt` is protected.*shell.*which its maker may not/s);
    expect(existsSync(join(folder, 'out.txt'))).toBe(false);
    expect(existsSync(join(folder, 'generated/inner.agent'))).toBe(false);
  });
});

describe('an agent that was made with less than its maker', () => {
  const CREATED = { tools: [{ ...CREATE, input: { ...CREATE.input, tools: ['Bash(ls *)'] } }] };
  const turns: Turn[] = [() => CREATED, () => ({ tools: [{ name: 'judge', input: { input: 'Go.' } }] }), said];
  const acts: Turn = (request) =>
    request.results.count === 0
      ? { tools: [{ name: 'shell', input: { argv: ['sh', '-c', 'echo x > out.txt'] } }] }
      : { text: last(request) };
  /** A person would be asked about it, as a command of the maker. */
  const permissions = { ...MAKING, commands: [{ words: 'sh', class: 'install' as const }] };

  it('is not given it by `--yes`', async () => {
    const { output, folder } = await run(turns, acts, { permissions }, { gates: 'approve' });
    expect(output).toMatch(/Not allowed: Nobody has said what `sh/);
    expect(existsSync(join(folder, 'out.txt'))).toBe(false);
  });

  it('is given it by a person who was asked after denials', { tags: ['sandbox'] }, async () => {
    const { handle, endpoint, folder } = await open(turns, acts, {
      permissions: { ...permissions, escalate_after: 1 },
    });
    const gate = await gateOf(handle);
    expect(gate.message).toContain('Nobody has said what `sh');
    await decide(handle, gate, 'approve');
    await handle.result();
    expect(existsSync(join(folder, 'out.txt'))).toBe(true);
    await endpoint.close();
  });
});
