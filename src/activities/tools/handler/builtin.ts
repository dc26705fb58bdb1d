import { join } from 'node:path';
import { z } from 'zod';
import type { Action } from '../../../plan/tools/action.js';
import { isBelow } from '../../../plan/tools/permission.js';
import type { JsonObject } from '../../../plan/values/json.js';
import type { Tool } from '../../../plan/tools/tool.js';
import { keptOf } from '../../workspace/kept-of.js';
import { keptPlaces } from '../../workspace/kept-places.js';
import { isWorkTree, ownCode } from '../../workspace/own-code.js';
import { AMONG_PACKAGES } from '../../workspace/perdure-names.js';
import { KEPT_IN_PROJECTS, configuredBelow, gitTops, projectsIn, repositoriesOf } from '../../workspace/projects-in.js';
import { FileRefusal } from '../../refusal.js';
import { isSeenOtherwise } from '../../workspace/alike.js';
import type { ToolContext, ToolHandler, ToolRun } from './handler.js';

type Effect = ReturnType<ToolHandler['effect']>;

/** A tool that comes with Perdure, with its arguments as its schema types them. */
export interface Builtin<A> {
  description: string;
  input: z.ZodType<A>;
  parallel: boolean;
  quick: boolean;
  server?: true;
  repeatable?: true;
  effect: Effect | ((args: A) => Effect);
  /** `root`: the folder of the workspace that its paths are relative to. */
  action: (args: A, workspace: string, root?: string) => Action;
  run: (args: A, context: ToolContext) => Promise<ToolRun>;
}

export function ok(content: ToolRun['content']): ToolRun {
  return { content, is_error: false };
}

export function failed(content: string): ToolRun {
  return { content, is_error: true };
}

/** The handler of a built-in tool: arguments are checked before they are judged, and again before it runs. */
export function builtin<A>({
  description,
  input,
  parallel,
  quick,
  server,
  repeatable,
  effect,
  action,
  run,
}: Builtin<A>): ToolHandler<Tool & { kind: 'builtin' }> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input) as JsonObject; // zod makes plain JSON
  const parse = (args: JsonObject): { args: A } | { invalid: string } => {
    const parsed = input.safeParse(args);
    return parsed.success
      ? { args: parsed.data }
      : {
          invalid: parsed.error.issues
            .map(({ path, message }) => `\`${path.join('.') || 'input'}\`: ${message}`)
            .join('; '),
        };
  };
  return {
    parallel,
    quick,
    ...(server === undefined ? {} : { server }),
    ...(repeatable === undefined ? {} : { repeatable }),
    spec: async ({ name }) => ({ name, description, input_schema: schema }),
    effect: (_tool, args) => {
      if (typeof effect !== 'function') return effect;
      const parsed = parse(args);
      return 'invalid' in parsed ? 'none' : effect(parsed.args);
    },
    action: ({ root }, args, workspace) => {
      const parsed = parse(args);
      return 'invalid' in parsed ? parsed : action(parsed.args, workspace, root);
    },
    run: async ({ root }, args, context) => {
      const parsed = parse(args);
      if ('invalid' in parsed) return failed(parsed.invalid);
      try {
        await requireUnkept(action(parsed.args, context.workspace, root), context);
        return await run(parsed.args, root === undefined ? context : { ...context, root });
      } catch (error) {
        if (error instanceof FileRefusal) return failed(error.message);
        throw error;
      }
    },
  };
}

/**
 * Throws a refusal for what the run was started from or settings start, and for what a trusted project in the workspace
 * goes by, git, a hook that runs, or Perdure itself.
 */
async function requireUnkept(action: Action, { store, run, workspace, permissions }: ToolContext): Promise<void> {
  if (action.kind !== 'write') return;
  const keptHere = (await keptOf(store, run)).map((path) => `/${path}`);
  if (isBelow(action.path, keptHere))
    throw new FileRefusal(`\`${action.path}\` is protected: this run was started from it, or Perdure starts it.`);
  const projects = await projectsIn(store, workspace);
  const atRoots = ['', ...projects].flatMap((project) =>
    [...permissions.protected, ...(project === '' ? [] : KEPT_IN_PROJECTS)].map((path) => join(project, path)),
  );
  const kept = fromRoot(atRoots.slice(permissions.protected.length));
  if (isSeenOtherwise(join(workspace, action.path)))
    throw new FileRefusal(`A hook goes by \`${action.path}\` just now. Try again.`);
  if (isBelow(action.path, kept)) throw new FileRefusal(`\`${action.path}\` is protected: another project goes by it.`);
  const tops = await gitTops(workspace, projects);
  const configured = await configuredBelow(workspace, tops);
  if (isBelow(action.path, fromRoot(configured)))
    throw new FileRefusal(`\`${action.path}\` is protected: git goes by it.`);
  const named = isWorkTree(workspace, store.folder) ? [] : AMONG_PACKAGES;
  const own = [
    ...ownCode(workspace, projects, store.folder),
    ...['', ...projects].flatMap((project) => named.map((name) => join(project, name))),
  ];
  if (isBelow(action.path, [...named, ...fromRoot(own)]))
    throw new FileRefusal(`\`${action.path}\` is protected: Perdure itself runs it.`);
  const repositories = await repositoriesOf(workspace, tops);
  if (isBelow(action.path, fromRoot(keptPlaces(workspace, [...atRoots, ...configured, ...own, ...repositories]))))
    throw new FileRefusal(`\`${action.path}\` is protected: something that is protected leads there.`);
}

function fromRoot(paths: string[]): string[] {
  return paths.map((path) => `/${path}`);
}
