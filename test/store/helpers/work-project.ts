import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { removeFolder } from '../../../src/store/folders/remove.js';
import type { Committed, Work } from '../../../src/store/worktrees/commit-tree.js';
import { beginWork, commitWork } from '../../../src/store/worktrees/commit-tree.js';
import type { MadeTrees } from '../../../src/store/worktrees/make-trees.js';
import { makeTrees } from '../../../src/store/worktrees/make-trees.js';
import type { TreePlaces } from '../../../src/store/worktrees/places.js';
import { treePlaces } from '../../../src/store/worktrees/places.js';

/** A lease that nobody gives back. */
const HELD = { expiryMs: 60_000, onWait: (): never => fail('It waits for who holds the lease.') };

/** A project, and the work trees of its runs; the run is `r` where none is named. */
export class WorkProject {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'perdure-work-')));
  readonly state = join(this.folder, '.perdure');

  constructor(files: Record<string, string>) {
    onTestFinished(() => removeFolder(this.folder));
    for (const [name, content] of Object.entries({ '.perdure/.gitignore': '*\n', ...files })) this.put(name, content);
  }

  put = (name: string, content: string | Buffer, folder = this.folder): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  };
  places = (run = 'r'): TreePlaces => treePlaces(this.state, run);
  tree = (name = 'main', run = 'r'): string => this.places(run).tree(name);
  read = (name: string, tree = 'main', run = 'r'): string => readFileSync(join(this.tree(tree, run), name), 'utf8');

  /** What git says in the project. */
  git = (...args: string[]): string => gitIn(this.folder, args);
  /** What git says in the repository of the run. */
  ours = (...args: string[]): string => gitIn(this.places().git, ['--git-dir=.', ...args]);
  commitAll(subject = 'first'): void {
    this.git('init', '--quiet', '--initial-branch=main');
    this.git('add', '-A');
    this.git('commit', '--quiet', '-m', subject);
  }

  make = (carry: string[] = [], from?: string, run = 'r'): Promise<MadeTrees> =>
    makeTrees(this.state, { run, project: this.folder, carry, ...(from === undefined ? {} : { from }) });
  begin = (step: string): Promise<void> => beginWork(this.state, 'r', step);
  commit = (step: string, more: Partial<Work> = {}): Promise<Committed> =>
    commitWork(this.state, { run: 'r', tree: step, step, try: 1, subject: `does ${step}`, body: '', ...more });
  /** A step that changes files, and commits that. */
  async work(step: string, files: Record<string, string>, more: Partial<Work> = {}): Promise<Committed> {
    await this.begin(step);
    for (const [name, content] of Object.entries(files)) this.put(name, content, this.tree(step));
    return this.commit(step, more);
  }

  /** Has somebody hold the lease of a run's trees: `holding` are options that tell who waits for it. */
  hold(run = 'r'): typeof HELD {
    this.put('lease/1000', String(Date.now() + HELD.expiryMs), this.places(run).folder);
    return HELD;
  }
  /** Says that who held the lease was killed. */
  loseLease = (run = 'r', number = 1000): void => this.put(`lease/${number}`, '1', this.places(run).folder);
}

function fail(message: string): never {
  throw new Error(message);
}

function gitIn(cwd: string, args: string[]): string {
  const who = ['-c', 'user.name=p', '-c', 'user.email=p@x', '-c', 'protocol.file.allow=always'];
  return execFileSync('git', [...who, ...args], { cwd, stdio: 'pipe' })
    .toString()
    .trim();
}
