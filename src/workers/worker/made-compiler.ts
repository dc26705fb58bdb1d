import type { Dependencies } from '../../activities/dependencies.js';
import { compileMade } from '../../compiler/made/compile-made.js';
import { compileTasks } from '../../compiler/made/made-tasks.js';
import { compileMadeAgent } from '../../compiler/made/made-agent.js';
import { compileMadeTool } from '../../compiler/made/made-tool.js';
import { compileMadeWorkflow } from '../../compiler/made/made-workflow.js';
import type { Store } from '../../store/store.js';

/** Compiles what is made while a run runs, and stores what its Plan names by hash. */
export function createMadeCompiler(store: Pick<Store, 'putAlways'>): NonNullable<Dependencies['compile']> {
  return async (made, workspace) => {
    const { plan, texts, problems } = compileMade(made, workspace);
    if (plan === null) return { problems };
    await Promise.all([...texts.values()].map((text) => store.putAlways(text)));
    return { plan };
  };
}

/** Makes agents, tools, workflows and tasks of what agents say of them, and stores the texts that they name by hash. */
export function createMakers(
  store: Pick<Store, 'putAlways'>,
): Required<Pick<Dependencies, 'compileAgent' | 'compileTool' | 'compileWorkflow' | 'compileTasks'>> {
  const keepTexts = (texts: Map<unknown, string>): Promise<unknown> =>
    Promise.all([...texts.values()].map((text) => store.putAlways(text)));
  const keep = async <M>({ made, texts }: { made: M; texts: Map<unknown, string> }): Promise<M> => {
    await keepTexts(texts);
    return made;
  };
  return {
    compileAgent: (...asked) => keep(compileMadeAgent(...asked)),
    compileTool: (...asked) => keep(compileMadeTool(...asked)),
    compileTasks: async (asked) => {
      const { plan, texts } = compileTasks(asked);
      await keepTexts(texts);
      return plan;
    },
    compileWorkflow: (...asked) => keep(compileMadeWorkflow(...asked)),
  };
}
