import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { MAIN_TREE, treePlaces } from '../../src/store/worktrees/places.js';
import type { RunResult } from '../../src/plan/result.js';
import type { Answer, ModelEndpoint, RecordedRequest } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import { until } from '../faults/project.js';

const ROOT = resolve(import.meta.dirname, '../..');
const CLI = join(ROOT, 'dist', 'cli', 'main.js');

/** What each agent answers, by words of its own prompt; anything else is refused. */
export type Voices = Record<string, (request: RecordedRequest) => Answer>;

export interface Finished {
  code: number | null;
  result: RunResult;
  /** What people would see. */
  told: string;
}

/** A project with a small git history and the shipped definitions, and models that answer from a script. */
export interface ShippedProject {
  folder: string;
  endpoint: ModelEndpoint;
  /**
   * Runs a shipped workflow (`name`, or `../flows/name.flow`) with the real CLI, `--json`, and `--yes` where it is
   * told neither `--no-wait` nor `--unattended`.
   */
  run(workflow: string, args: string[], voices?: Voices): Promise<Finished>;
  /** What agents answer from now on. */
  speak(voices: Voices): void;
  /** Runs any other command. */
  perdure(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** What an agent was asked since the last run began, in order. */
  asked(voice: string): RecordedRequest[];
  /** Where a run in a work tree has left its files, and the subjects of its commits, the first first. */
  tree(run: string): { folder: string; commits: () => string[]; parents: () => number[] };
  close(): Promise<void>;
}

/** A gate as `list --waiting` tells of it. */
export interface Waiting {
  gate: string;
  message: string;
  since: string;
  options?: string[];
}

/**
 * A gate at which a run waits, and none that was given before by this. What waits is listed a little after the run has
 * said so, and what is decided for a little longer.
 */
export async function nextGate(project: ShippedProject, run: string): Promise<Waiting> {
  const next = await until(async () => {
    const waiting = JSON.parse((await project.perdure('list', '--waiting', '--json')).stdout) as Waiting[];
    return waiting.find((one) => one.gate.startsWith(`${run}/`) && !given.has(openingOf(one)));
  });
  given.add(openingOf(next));
  return next;
}
const given = new Set<string>();
const openingOf = ({ gate, since }: Waiting): string => `${gate} ${since}`;

export async function openShippedProject(): Promise<ShippedProject> {
  const folder = mkdtempSync(join(tmpdir(), 'perdure-definitions-'));
  cpSync(join(ROOT, 'definitions'), join(folder, 'definitions'), { recursive: true });
  makeHistory(folder);
  let voices: Voices = {};
  let seen = 0;
  const endpoint = await startModelEndpoint((request) => {
    const voice = Object.keys(voices).find((words) => request.system.includes(words));
    return voice === undefined
      ? { status: 400, message: `no voice for: ${request.system.slice(0, 100)}` }
      : voices[voice]!(request);
  });
  const keys = { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url };
  const cli = (args: string[], keys: Record<string, string>) => runCli(folder, args, keys);
  return {
    folder,
    endpoint,
    run: async (workflow, args, given = {}) => {
      voices = given;
      seen = endpoint.requests.length;
      const { code, stdout, stderr } = await cli(
        [
          'run',
          join('definitions', 'workflows', extname(workflow) === '' ? `${workflow}.yml` : workflow),
          ...args,
          ...(args.includes('--no-wait') || args.includes('--unattended') ? [] : ['--yes']),
          '--json',
        ],
        keys,
      );
      if (stdout.trim() === '') throw new Error(`The CLI ended with ${code} and no result:\n${stderr}`);
      return { code, result: JSON.parse(stdout) as RunResult, told: stderr };
    },
    speak: (given) => {
      voices = given;
    },
    perdure: (...args) => cli(args, keys),
    asked: (voice) => endpoint.requests.slice(seen).filter(({ system }) => system.includes(voice)),
    tree: (run) => {
      const { git, tree } = treePlaces(join(folder, '.perdure'), run);
      const words = ['--git-dir', git, 'log', '--reverse', '--format=%s', 'HEAD', '--'];
      const parents = ['--git-dir', git, 'log', '--format=%P', 'HEAD', '--'];
      return {
        folder: tree(MAIN_TREE),
        parents: () =>
          execFileSync('git', parents, { encoding: 'utf8' })
            .split('\n')
            .map((line) => line.split(' ').filter(Boolean).length),
        commits: () => {
          const subjects = execFileSync('git', words, { encoding: 'utf8' }).trim().split('\n');
          return subjects.slice(subjects.indexOf('Files as they were when the run began') + 1);
        },
      };
    },
    close: async () => {
      await cli(['server', 'stop'], {});
      await endpoint.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function runCli(
  cwd: string,
  args: string[],
  keys: Record<string, string>,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd,
    env: { ...withoutTemporal(), ...keys },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((done, fail) => child.once('close', done).once('error', fail));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}

/** Whoever runs the tests may have a server, a model or a state folder of their own. */
function withoutTemporal(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(TEMPORAL_|ANTHROPIC_|OLLAMA_|CLAUDE_|PERDURE_STATE_DIR)/.test(name),
    ),
  );
}

/** Three commits after the tag `v1`, one of which the change log leaves out. */
function makeHistory(folder: string): void {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=Ana', '-c', 'user.email=ana@example.org', ...args], {
      encoding: 'utf8',
    });
  const commit = (subject: string, files: Record<string, string>): void => {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    git('add', '--', ...Object.keys(files));
    git('commit', '-q', '-m', subject);
  };
  git('init', '-q', '-b', 'main');
  writeFileSync(join(folder, 'perdure.yml'), '{}\n');
  commit('Begin', {
    '.gitignore': 'definitions\n.perdure\n',
    'CHANGELOG.md': '# Changes\n\n## v1\n- Begin\n',
    'adder.js': 'export const add = (a, b) => a - b;\n',
  });
  git('tag', 'v1');
  commit('Add subtraction', {
    'subtractor.js': '// TODO: negative numbers\nexport const subtract = (a, b) => eval(`${a}-${b}`);\n',
  });
  commit('Mend addition', { 'adder.js': 'export const add = (a, b) => a + b;\n' });
  commit('Tell of subtraction', { 'CHANGELOG.md': '# Changes\n\n## next\n- Subtraction\n\n## v1\n- Begin\n' });
}
