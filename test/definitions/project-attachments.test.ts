// @seconds 25
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/plan/result.js';
import type { Answer, ModelEndpoint, RecordedRequest } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';

const PDF = Buffer.from(`%PDF-1.4\n1 0 obj <</Type /Pages /Kids [] /Count 3>> endobj\n${'x'.repeat(900)}\n%%EOF\n`);
const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(64, 7)]);

const manifest = (attachments: string[]): string =>
  JSON.stringify({
    version: 1,
    runtime: {},
    allow_cli_input: false,
    entry: { agent: 'judge', args: { input: 'Evaluate the deck.', attachments } },
    agent_files: ['judge.agent'],
  });
const agent = (front = ''): string => `---\nname: judge\n${front}---\nYou judge pitch decks.\n`;

let project: Project;
let endpoint: ModelEndpoint;
let answer: (request: RecordedRequest) => Answer = () => ({ text: 'GO' });
beforeAll(async () => {
  endpoint = await startModelEndpoint((request) => answer(request), { ollamaModels: ['qwen3'] });
  project = await openProject(
    {
      'decks/project.json': manifest(['deck.pdf', 'logo.png', 'notes.txt']),
      'decks/judge.agent': agent(),
      'decks/notes.txt': 'We sell bicycles.',
      'tooled/project.json': manifest(['deck.pdf']),
      'tooled/judge.agent': agent('toolsets: [filesystem_project_ro]\n'),
      'maker/project.json': JSON.stringify({
        version: 1,
        runtime: { agent_attachments_require_approval: true },
        entry: { agent: 'judge', args: { input: 'Evaluate the deck.', attachments: ['logo.png'] } },
        generated_agents_dir: 'generated',
        agent_files: ['judge.agent'],
      }),
      'maker/judge.agent': agent('toolsets: [dynamic_agents]\n'),
      'family/project.json': JSON.stringify({
        version: 1,
        runtime: {
          agent_attachments_require_approval: true,
          agent_approval_overrides: { filer: { attachments_require_approval: false } },
        },
        entry: { agent: 'judge', args: { input: 'Evaluate the deck.' } },
        agent_files: ['judge.agent', 'scorer.agent', 'filer.agent'],
      }),
      'family/judge.agent': agent('toolsets: [scorer, filer]\n'),
      'family/scorer.agent': '---\nname: scorer\n---\nYou score.\n',
      'family/filer.agent': '---\nname: filer\n---\nYou file.\n',
      'local/project.json': manifest(['deck.pdf']),
      'local/judge.agent': agent('model: ollama:qwen3\n'),
    },
    { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url, OLLAMA_HOST: endpoint.url },
  );
  for (const folder of ['decks', 'tooled', 'local', 'maker', 'family']) {
    mkdirSync(join(project.folder, folder), { recursive: true });
    writeFileSync(join(project.folder, folder, 'deck.pdf'), PDF);
    writeFileSync(join(project.folder, folder, 'logo.png'), PNG);
  }
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
});

const contentOf = (index: number): unknown =>
  (endpoint.requests[index]?.body['messages'] as { content: unknown }[] | undefined)?.[0]?.content;
const document = {
  type: 'document',
  title: 'deck.pdf',
  source: { type: 'base64', media_type: 'application/pdf', data: PDF.toString('base64') },
};

describe('attachments of a project', () => {
  it('are shown as they are: a PDF as a document, an image as an image, a text as a text', async () => {
    const { stdout } = await project.run('run', 'decks', '--json');
    expect(JSON.parse(stdout) as RunResult).toMatchObject({ status: 'success', output: 'GO' });
    expect(contentOf(0)).toEqual([
      document,
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG.toString('base64') } },
      { type: 'text', text: expect.stringMatching(/^Evaluate the deck\.[^]*We sell bicycles\./) as string },
    ]);
  });

  it('are shown to an agent with tools likewise, and are counted in what is reserved', async () => {
    const before = endpoint.requests.length;
    const { stdout } = await project.run('run', 'tooled', '--json');
    expect(JSON.parse(stdout) as RunResult).toMatchObject({ status: 'success' });
    expect(contentOf(before)).toEqual([document, expect.objectContaining({ type: 'text' })]);
    // Three pages may have 15,000 tokens: with less left nothing is asked.
    const short = await project.run('run', 'tooled', '--max-tokens', '40000', '--json');
    expect((JSON.parse(short.stdout) as RunResult).status).not.toBe('success');
    expect(endpoint.requests).toHaveLength(before + 1);
  });

  it('are in what a person sees who is asked before the agent acts, with all that it is told', async () => {
    const checked = await openProject(
      {
        'perdure.yml': 'autonomy: {require_approval_for: [agent]}\n',
        'decks/project.json': manifest(['deck.pdf', 'notes.txt']),
        'decks/judge.agent': agent(),
        'decks/deck.pdf': PDF.toString('latin1'),
        'decks/notes.txt': 'We sell bicycles.',
      },
      { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
    );
    try {
      const { stdout } = await checked.run('run', 'decks', '--no-wait', '--json');
      const { run } = JSON.parse(stdout) as RunResult;
      const seen = await checked.run('show', run);
      const sha256 = createHash('sha256').update(PDF).digest('hex');
      for (const part of ['Evaluate the deck.', 'We sell bicycles.', 'deck.pdf', sha256])
        expect(seen.stdout.replace(/\s*\n *[│┊] /g, '')).toContain(part);
    } finally {
      await checked.close();
    }
  });

  it('stop a run before it starts whose model is not shown such files', async () => {
    const before = endpoint.requests.length;
    const { code, stderr } = await project.run('run', 'local');
    expect(code).toBe(3);
    expect(stderr).toContain('The attachment `deck.pdf` is no text, and `ollama:qwen3` is not shown such files.');
    expect(endpoint.requests).toHaveLength(before);
  });

  it('of a call are those of the call alone, and a person sees what they hold', async () => {
    const before = endpoint.requests.length;
    answer = ({ system, results }) => {
      if (system.includes('You score')) return { text: 'PASS' };
      const calls: Answer[] = [
        {
          tools: [
            { name: 'agent_create', input: { name: 'scorer', instructions: 'You score.', description: 'Scores.' } },
          ],
        },
        { tools: [{ name: 'agent_call', input: { agent: 'scorer', input: 'Score it.', attachments: ['deck.pdf'] } }] },
      ];
      return calls[results.count] ?? { text: 'Scored.' };
    };
    const running = project.start('run', 'maker', '--id', 'scores', '--json');
    const approve = (): Promise<string> =>
      until(async () => {
        const { code, stderr } = await project.run('approve', 'scores', '--as', 'ana');
        return code === 0 ? stderr : null;
      });
    await approve();
    await until(async () => (await project.run('list', '--waiting', '--json')).stdout.includes('/2.1'));
    const shown = await approve();
    expect(shown).toContain('deck.pdf');
    expect(shown).toContain(createHash('sha256').update(PDF).digest('hex'));
    expect(JSON.parse((await running.finished).stdout) as RunResult).toMatchObject({ output: 'Scored.' });
    const asked = endpoint.requests.findIndex(({ system }, index) => index >= before && system.includes('You score'));
    expect(contentOf(asked)).toEqual([
      document,
      expect.objectContaining({ type: 'text', text: expect.stringContaining('Score it.') as string }),
    ]);
  });

  it('go along with calls of agents of the manifest, each asked about as the manifest says', async () => {
    const before = endpoint.requests.length;
    const told: string[] = [];
    answer = ({ system, results }) => {
      if (system.includes('You score')) return { text: 'PASS' };
      if (system.includes('You file')) return { text: 'Filed.' };
      if (results.count > 0) told.push(...results.last.map(({ text }) => text));
      const call = (name: string, ...attachments: string[]): Answer => ({
        tools: [{ name, input: { input: `Take it, ${name}.`, attachments } }],
      });
      return (
        [
          call('filer', 'deck.pdf'),
          call('filer', 'lost.pdf'),
          { tools: [{ name: 'filer', input: { input: 'Nothing goes along.' } }] },
          call('scorer', 'deck.pdf'),
        ][results.count] ?? { text: 'Scored.' }
      );
    };
    const running = project.start('run', 'family', '--id', 'family', '--json');
    const shown = await until(async () => {
      const { code, stderr } = await project.run('approve', 'family', '--as', 'ana');
      return code === 0 ? stderr : null;
    });
    expect(shown).toContain('deck.pdf');
    expect(shown).toContain(createHash('sha256').update(PDF).digest('hex'));
    expect(JSON.parse((await running.finished).stdout) as RunResult).toMatchObject({ output: 'Scored.' });
    const words = ['Filed.', 'Attachment not found: lost.pdf', 'Filed.', 'PASS'];
    expect(told).toHaveLength(4);
    for (const [index, text] of words.entries()) expect(told[index]).toContain(text);
    const asked = endpoint.requests.flatMap(({ system }, index) =>
      index >= before && /You (?:score|file)/.test(system) ? [contentOf(index)] : [],
    );
    expect(asked).toEqual([
      [document, expect.objectContaining({ text: expect.stringContaining('Take it, filer.') as string })],
      [expect.objectContaining({ type: 'text', text: expect.stringContaining('Nothing goes along.') as string })],
      [document, expect.objectContaining({ text: expect.stringContaining('Take it, scorer.') as string })],
    ]);
  });
});
