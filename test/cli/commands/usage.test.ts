import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ASKS_A_MODEL, HELLO, newFolder, perdure, perdureHere } from '../helpers/command-line.js';

const FILES = {
  'hello.yml': HELLO,
  'asks.yml': ASKS_A_MODEL,
  'empty.yml': '',
  'none/notes.txt': 'nothing\n',
  'round.yml': 'steps:\n  - workflow: ./round.yml\n',
  'twice.json': '{"name": "a", "name": "b"}',
  'broken.yml': 'name: broken\nsteps:\n  - agent: general-porpose\n    prompt: hi\n',
};

describe('bad usage is one clear error, and nothing is started', () => {
  it.each<[string, string[], string]>([
    ['an unknown command', ['rnu'], 'There is no command `rnu`.\n  Did you mean `run`?'],
    ['a command that is nothing like any', ['frobnicate'], 'There is no command `frobnicate`.'],
    [
      'an unknown option',
      ['list', '--wating'],
      'There is no option `--wating` of `perdure list`.\n  Did you mean `--waiting`?',
    ],
    ['a missing argument', ['show'], 'Expected `<run>`, got nothing.'],
    ['too many arguments', ['show', 'a', 'b'], 'Expected 1 argument of `perdure show`, got 2.'],
    ['options that exclude each other', ['run', 'hello.yml', '--yes', '--unattended'], 'cannot be used with'],
    ['a bad id', ['run', 'hello.yml', '-i', 'name=x', '--id', '../x'], "Expected a run's id"],
    ['an empty definition', ['run', ''], 'Expected `<definition>`, got an empty text.'],
    [
      'a file of inputs with a key twice',
      ['run', 'hello.yml', '--inputs', 'twice.json'],
      'to be JSON without a key that is written twice, such as `name`: `twice.json`.',
    ],
    ['workflows in a circle', ['run', 'round.yml'], 'Error: Workflow cycle detected: round → round'],
    ['listening without a webhook', ['listen'], 'No definition has `on: {webhook: …}`.'],
    [
      'a page that is nowhere',
      ['grant', 'x/ok', '--public-url', 'foo'],
      'Expected `--public-url` to be `https://<host>`, without a path, got `foo`.',
    ],
    ['an empty run', ['cancel', ''], 'Expected `<run>`, got an empty text.'],
    ['an address without a run', ['approve', '/ok'], 'There is no run `'],
    ['no name', ['run', 'hello.yml', '-i', 'name=x', '--as', ''], 'Expected `--as` to be a name on one line'],
    [
      'a name that paints',
      ['approve', 'x', '--as', 'a\u001b[31m'],
      'Expected `--as` to be a name on one line of at most 200 characters, got `a\\u{1b}[31m`.',
    ],
    [
      'a comment that no gate takes',
      ['reject', 'x', '--comment', 'x'.repeat(20_000)],
      'Expected `--comment` to have at most 16384 characters, got 20000.',
    ],
    [
      'a bad limit',
      ['run', 'hello.yml', '-i', 'name=x', '--max-steps', 'many'],
      'Expected `--max-steps` to be a positive whole number, got `many`.',
    ],
    ['a bad pair', ['run', 'hello.yml', '-i', 'name'], 'Expected `-i name=value`, got `-i name`.'],
    ['a missing input', ['run', 'hello.yml'], 'needs the input `name`, which `greeting` needs.'],
    ['a request that nothing takes', ['run', 'hello.yml', 'please', '-i', 'name=x'], 'takes no request'],
    ['a file of inputs that is not there', ['run', 'hello.yml', '--inputs', 'none.yml'], 'is not there: `none.yml`'],
    ['a folder of inputs', ['run', 'hello.yml', '--inputs', '.'], 'to be a regular file, got `.`'],
    ['a folder without definitions', ['validate', '.', 'none'], 'There is nothing to validate in `none`: no file'],
    ['a folder without files to format', ['fmt', 'none'], 'There is nothing to format in `none`.'],
    ['an unknown schema', ['schema', 'chian'], 'There is no schema `chian`.'],
    ['an unknown run', ['show', 'none'], 'There is no run `none`.'],
    ['a gate of an unknown run', ['approve', 'none/gate'], 'There is no run `none`.'],
    ['logs of an unknown run', ['logs', 'none'], 'There is no run `none`.'],
    ['cancelling an unknown run', ['cancel', 'none'], 'There is no run `none`.'],
    ['rerunning an unknown run', ['rerun', 'none'], 'There is no run `none`.'],
    ['an unknown session', ['sessions', 'show', 'task-a1b2c3d4'], 'Session not found: task-a1b2c3d4'],
    ['an unknown memory', ['memory', 'remove', 'mem-a1b2c3d4'], 'There is no memory `mem-a1b2c3d4`.'],
    ['a word too many', ['memory', 'list', 'dates'], 'Expected nothing after `memory list`, got `dates`.'],
    [
      'another',
      ['agents', 'promote', 'a', 'b', '--run', 'x'],
      'Expected at most 1 argument after `agents promote`, got `b`.',
    ],
    ['and another', ['sessions', 'list', 'all'], 'Expected nothing after `sessions list`, got `all`.'],
    ['a schedule that nothing has', ['schedules', 'pause', 'nightly'], 'There is no schedule `nightly`.'],
    ['no schedule', ['schedules', 'pause', ''], 'Expected the name of a definition, got an empty text.'],
    ['no name of a schedule', ['schedules', 'remove', '../x'], 'There is no schedule `../x`.'],
    [
      'no tool to look at',
      ['tools', 'lint', ''],
      'Expected `tools lint` to be given files or folders, got an empty text.',
    ],
    ['no file among others', ['validate', 'hello.yml', ''], 'Expected `<path…>`, got an empty text.'],
    ['a score of nothing', ['stats', ''], 'Expected the name of a definition, got an empty text.'],
    ['a score of what nobody knows', ['stats', 'nope'], 'No closed run of a definition `nope` is known.'],
    ['labels that are none', ['worker', '--labels', 'a b'], 'got `a b`'],
    ['a version that is none', ['worker', '--deployment', 'a b'], 'got `a b`'],
    [
      'an unknown tool',
      ['tools', 'call', 'raed_file'],
      'Error: There is no tool `raed_file`.\n  Did you mean `read_file`?',
    ],
    [
      'a tool without its input',
      ['tools', 'call', 'read_file'],
      'Error: The tool `read_file` needs the input `path`.\n  Give it with `-i path=…`.',
    ],
    [
      'a tool with another input',
      ['tools', 'call', 'read_file', '-i', 'path=a', '-i', 'ofset=1'],
      'Error: The tool `read_file` takes no input `ofset`.\n  Did you mean `offset`?',
    ],
    ['nothing to remember', ['memory', 'add'], 'Expected a text after `memory add`.'],
    ['too much to remember', ['memory', 'add', 'x'.repeat(8001)], 'Expected at most 8000 characters, got 8001.'],
    ['watching an unknown device', ['devices', 'monitor', 'none'], '`perdure.yml` names no device `none`.'],
    ['mending an unknown build', ['build', 'fix', 'none', 'the button is green'], 'There is no run `none`.'],
    ['a status of what waits', ['list', '--waiting', '--status', 'error'], 'cannot be used with `--status <status>`'],
  ])('%s', async (_, args, message) => {
    const folder = newFolder(FILES);
    const { code, stdout, stderr } = await perdureHere(folder, args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr.match(/Error:/g)).toHaveLength(1);
    expect(existsSync(join(folder, '.perdure'))).toBe(false);
  });

  it.each<[string, string, string]>([
    ['a file that is not there', 'none.yml', 'unreadable-file'],
    ['a folder', '.', 'unreadable-file'],
    ['an empty file', 'empty.yml', 'empty.yml:1'],
    ['an unknown agent', 'broken.yml', 'did you mean `general-purpose`?'],
  ])('%s is a problem with its place', async (_, file, text) => {
    const folder = newFolder(FILES);
    const { code, stdout, stderr } = await perdureHere(folder, ['run', file]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(text);
    expect(existsSync(join(folder, '.perdure'))).toBe(false);
  });

  it.each([
    ['an error of usage', ['run', 'hello.yml', '--yes', '--unattended']],
    ['problems', ['run', 'broken.yml']],
    ['a document', ['show', 'none', '--json']],
    ['help', ['--help']],
  ])('%s is the same of the program itself as of its parts', async (_, args) => {
    const folder = newFolder(FILES);
    expect(await perdure(folder, args)).toEqual(await perdureHere(folder, args));
  });

  it.each(['\0', 'x'.repeat(300_000)])(
    'keeps what a definition that cannot be read may have scheduled (%#)',
    async (odd) => {
      const folder = newFolder({ 'definitions/workflows/nightly.yml': `schedule: "0 3 * * *"\n# ${odd}\n` });
      for (const args of [['schedules', 'sync'], ['listen']]) {
        const { code, stderr } = await perdureHere(folder, args);
        expect({ code, stderr }).toMatchObject({
          code: 2,
          stderr: expect.stringContaining('unreadable-file') as string,
        });
      }
      expect(existsSync(join(folder, '.perdure'))).toBe(false);
    },
  );

  it('stops before anything starts when no model provider is there, and says what to set', async () => {
    const folder = newFolder(FILES);
    for (const args of [
      ['run', 'asks.yml'],
      ['design', 'a report on every file'],
    ]) {
      const { code, stderr } = await perdureHere(folder, args);
      expect(code).toBe(3);
      expect(stderr).toContain('ANTHROPIC_API_KEY');
      expect(stderr).toContain('--rehearse');
      expect(stderr).toContain('`models.default` in perdure.yml chooses another');
      expect(existsSync(join(folder, '.perdure'))).toBe(false);
    }
  });

  it('says how a model that a definition names is had to mean another', async () => {
    const folder = newFolder({ 'asks.yml': ASKS_A_MODEL.replace('prompt:', 'model: openai:gpt-4.1\n    prompt:') });
    expect(await perdureHere(folder, ['run', 'asks.yml'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(
        '`models.aliases` in perdure.yml has `openai:gpt-4.1` stand for another: `aliases: {"openai:gpt-4.1": …}`.',
      ) as string,
    });
  });

  it('names a program as another way only where one could play every agent', async () => {
    const chain = {
      models: [{ name: 'judge', provider: 'ollama', model: 'llama3.1:8b' }],
      steps: [
        {
          step: 1,
          inputs: ['userRequest'],
          outputs: { mood: 'string' },
          modelRef: 'judge',
          systemPrompt: '{{userRequest}}',
        },
      ],
    };
    const folder = newFolder({ ...FILES, 'chain.json': JSON.stringify(chain) });
    expect((await perdureHere(folder, ['run', 'asks.yml'], { env: { PATH: folder } })).stderr).toContain(
      'would do as well',
    );
    const { code, stderr } = await perdureHere(folder, ['run', 'chain.json', 'fine'], { env: { PATH: folder } });
    expect([code, stderr]).toEqual([3, expect.stringContaining('needs Ollama')]);
    expect(stderr).not.toContain('would do as well');
  });

  it('gives up within seconds on a server that is not there', async () => {
    const { code, stderr } = await perdure(newFolder(FILES), ['run', 'hello.yml', '-i', 'name=x'], {
      env: { TEMPORAL_ADDRESS: '127.0.0.1:9' },
    });
    expect(code).toBe(3);
    expect(stderr).toContain('The Temporal server at `127.0.0.1:9` is not reachable');
  });

  it.each<[string, (folder: string) => void]>([
    ['a file', (folder) => writeFileSync(join(folder, '.perdure'), '')],
    ['a link to nowhere', (folder) => symlinkSync('/nonexistent/place', join(folder, '.perdure'))],
  ])('says that the state folder cannot be used when it is %s', async (_, spoil) => {
    const folder = newFolder(FILES);
    spoil(folder);
    const { code, stdout, stderr } = await perdureHere(folder, ['run', 'hello.yml', '-i', 'name=x']);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('.perdure');
  });
});

describe('--json', () => {
  it('is one document on stdout, also when something is wrong', async () => {
    const { code, stdout } = await perdureHere(newFolder(FILES), ['show', 'none', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toEqual({
      error: { message: 'There is no run `none`.', hint: expect.any(String) as string, exit: 2 },
    });
  });

  it('lists problems as data', async () => {
    const { code, stdout } = await perdureHere(newFolder(FILES), ['validate', 'broken.yml', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, problems: [{ code: 'unknown-agent', line: 3 }] });
  });

  it('of a list is an empty list where nothing was ever run, and makes no folder', async () => {
    const folder = newFolder();
    expect(JSON.parse((await perdureHere(folder, ['list', '--json'])).stdout)).toEqual([]);
    for (const what of [
      ['list', '--waiting'],
      ['sessions', 'list'],
      ['memory', 'list'],
      ['memory', 'search', 'dates'],
    ])
      expect(JSON.parse((await perdureHere(folder, [...what, '--json'])).stdout)).toEqual([]);
    expect(existsSync(join(folder, '.perdure'))).toBe(false);
  });
});
