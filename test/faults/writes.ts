/**
 * A kind of file that Perdure writes while runs go on, and what tells whether all is right once there is room again.
 */
export interface WriteRow {
  name: string;
  /** Paths of the state folder. */
  match: RegExp;
  /** Whose write stops nobody: what is lost is a convenience, and the run goes on while the disk is full. */
  passing?: true;
}

/** Every file below the state folder. `disk.test.ts` finds what is written and not in here. */
export const WRITES: readonly WriteRow[] = [
  { name: 'values', match: /^values\// },
  { name: 'plans', match: /^plans\// },
  { name: 'journal', match: /^journal\// },
  { name: 'records', match: /^runs\// },
  { name: 'logs', match: /^logs\/(?!host|server)[^/]+\//, passing: true },
  { name: 'log of the host', match: /^logs\/host\.log/, passing: true },
  { name: 'log of the server', match: /^logs\/server\.log/, passing: true },
  { name: 'alive log', match: /^alive(?:\/|$)/, passing: true },
  { name: 'approval key', match: /^approval\.key/ },
  { name: 'made files', match: /^made\// },
  { name: 'devices', match: /^devices\// },
  { name: 'provider pauses', match: /^providers\// },
  { name: 'hooks', match: /^hooks\// },
  { name: 'sessions', match: /^sessions\// },
  { name: 'memory', match: /^memory\// },
  { name: 'narration', match: /^narration\//, passing: true },
  { name: 'recorded answers', match: /^recorded\// },
  { name: 'snapshots', match: /^snapshots/ },
  { name: 'submitted definitions', match: /^submitted\// },
  { name: 'followers', match: /^followers\.json/ },
  { name: 'trusted projects', match: /^projects\.json/ },
  { name: 'workers', match: /^workers(?:\/|$)/, passing: true },
  { name: 'work trees', match: /^worktrees\// },
  { name: 'unsent traces', match: /^telemetry(?:\/|$)/, passing: true },
  { name: 'identity', match: /^(?:store(?:\.[a-z2-7]+(?:-\d+-\d+)?)?\.json|\.gitignore)/ },
  { name: 'host file', match: /^host(?:\.json|\/)/, passing: true },
  { name: 'database', match: /^temporal\.db/ },
];

/**
 * Source files that write, each with where: a row of the table, or a sentence. A new file that calls a function of
 * `node:fs` which writes has to be added here, and what it writes to the table.
 */
export const WRITERS: Record<string, string> = {
  'activities/devices/board/board.ts': 'devices: the memory of a simulated one, in a process of its own',
  'activities/devices/board/memory.ts': 'devices: what a simulated board holds, in a process of its own',
  'activities/devices/build-image.ts': 'outside: what is built, in a folder of its own and in the workspace',
  'activities/devices/port/port-lock.ts': 'outside: locks of ports',
  'activities/devices/serial-line.ts': 'outside: a port',
  'activities/devices/write-image.ts': 'outside: the image, for the tool that writes it',
  'cli/ci/report.ts': 'outside: reports for the CI system around it; told, exit 3',
  'activities/programs/play.ts': 'outside: what a program is given',
  'activities/workspace/open.ts': 'outside: what agents write to the workspace',
  'activities/tools/shell/guard.ts': 'outside: likewise',
  'activities/workspace/set-aside.ts': 'outside: what stands there is renamed; else it stays, and the failure is told',
  'activities/workspace/unnamed.ts':
    'outside: a name to take a folder away by; a failure ends the command, and is told',
  'activities/tools/hooks/run-hook.ts': 'outside: a folder for what a hook runs, gone at its end',
  'activities/workspace/workspace-digest.ts': 'outside: what git is told to leave out; a digest that fails is unknown',
  'store/folders/temporary.ts': 'outside: folders for a moment, which whoever asks for one removes',
  'cli/follow/input/editor.ts': 'outside: the command line; told, exit 3',
  'cli/follow/input/pager.ts': 'outside: the command line; told, exit 3',
  'web/access/open-browser.ts': 'outside: the command line; told, exit 3',
  'cli/workspace/apply-changes.ts': 'outside: the command line; told, exit 3',
  'cli/workspace/export-files.ts': 'outside: the command line; told, exit 3',
  'cli/make-folders.ts': 'outside: the command line; told, exit 3',
  'cli/write-whole.ts': 'outside: the command line; told, exit 3',
  'workers/server/embedded-server.ts': 'log of the server, database',
  'workers/host/host-files.ts': 'host file',
  'workers/processes/lock.ts': 'host file, where locks are files',
  'workers/host/host-spawn.ts': 'log of the host',
  'workers/run-compiled.ts': 'outside: compiled code beside the package, made anew when it is missing',
  'workers/server/server-database.ts': 'database',
  'workers/server/server-supervisor.ts': 'log of the server',
  'workers/temporal-binary/find.ts': "outside: the user's cache",
  'workers/temporal-binary/build.ts': "outside: the user's cache",
  'workers/temporal-binary/download.ts': "outside: the user's cache",
  'store/logs/alive-log.ts': 'alive log',
  'store/records/approval-key.ts': 'approval key',
  'store/files.ts': 'whatever the store writes whole',
  'store/logs/gathered-logs.ts': 'logs',
  'store/identity.ts': 'identity',
  'store/journal/journal.ts': 'journal',
  'store/line-files.ts': 'sessions, memory, narration',
  'store/logs/log-files.ts': 'logs',
  'store/logs/log-lines.ts': 'logs',
  'store/records/narration-files.ts': 'narration: concepts that were taught',
  'store/records/provider-files.ts': 'provider pauses',
  'store/records/run-files.ts': 'records: when their runs ended',
  'store/postgres/values.ts': 'values: a cache of what is in the database, which nobody waits for',
  'store/folders/lease.ts': 'work trees, hooks',
  'store/folders/remove.ts': 'outside: what agents have left, in a workspace or a work tree of ours',
  'store/folders/root.ts': 'every folder below the state folder',
  'store/snapshots/snapshots.ts': 'snapshots',
  'store/git/copy-folder.ts': 'work trees: folders that they carry',
  'store/workers/worker-files.ts': 'workers',
  'store/worktrees/branch.ts': 'work trees',
  'store/worktrees/carried.ts': 'work trees',
  'store/worktrees/carry.ts': 'work trees',
  'store/worktrees/commit-tree.ts': 'work trees',
  'store/worktrees/done-work.ts': 'work trees',
  'store/worktrees/make-trees.ts': 'work trees',
  'store/worktrees/kept-trees.ts': 'work trees',
  'store/worktrees/merge.ts': 'work trees',
  'store/worktrees/tree-repository.ts': 'work trees',
};
