import type { Dependencies } from '../../activities/dependencies.js';
import { compileMade } from '../../compiler/made/compile-made.js';
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

/** Makes agents, tools and workflows of what agents say of them, and stores the texts that they name by hash. */
export function createMakers(
  store: Pick<Store, 'putAlways'>,
): Required<Pick<Dependencies, 'compileAgent' | 'compileTool' | 'compileWorkflow'>> {
  const keep = async <M>({ made, texts }: { made: M; texts: Map<unknown, string> }): Promise<M> => {
    await Promise.all([...texts.values()].map((text) => store.putAlways(text)));
    return made;
  };
  return {
    compileAgent: (...asked) => keep(compileMadeAgent(...asked)),
    compileTool: (...asked) => keep(compileMadeTool(...asked)),
    compileWorkflow: (...asked) => keep(compileMadeWorkflow(...asked)),
  };
}
