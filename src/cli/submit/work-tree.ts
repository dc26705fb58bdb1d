import type { Plan } from '../../plan/plan.js';
import type { RunSettings } from '../../plan/run-input.js';

/** The settings of a run, with its work tree at `main` where its Plan asks for one. */
export function inWorkTree(settings: RunSettings, { workspace }: Pick<Plan, 'workspace'>, main: string): RunSettings {
  if (workspace === undefined || settings.worktree !== undefined) return settings;
  const { kind: _kind, ...how } = workspace;
  return { ...settings, workspace: main, worktree: { project: settings.workspace, ...how } };
}
