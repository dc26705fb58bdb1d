import type { Hono } from 'hono';
import { canonicalJson } from '../../plan/values/json.js';
import { sha256 } from '../../store/hash.js';
import { EXIT, CliError, refusal } from '../../cli/exit-codes.js';
import { openWorkspace, ProblemsError } from '../../cli/session.js';
import type { PreparedRerun } from '../../cli/submit/rerun/rerun.js';
import { NO_BUDGETS } from '../../plan/budget/budgets.js';
import { prepareRerun } from '../../cli/submit/rerun/rerun.js';
import { checkRunId } from '../../cli/submit/run-id.js';
import { startSubmission } from '../../cli/submit/submit-run.js';
import { printProblems } from '../../compiler/problems/print-problems.js';
import { runPath } from '../paths.js';
import type { PageEnv, Site } from '../site.js';
import { sendPage, sentIn } from '../site.js';
import { RerunPage } from '../views/rerun-page.js';

/** What of a rerun people choose. */
interface Choices {
  from: string | null;
  again: boolean;
}

/** Reruns: to look at what one would do starts nothing, a POST starts what was shown. */
export function rerunRoutes(app: Hono<PageEnv>, site: Site): void {
  /** Reruns that are being started or were, by their ids: a button that is pressed twice starts one. */
  const started = new Map<string, Promise<void>>();
  app.get('/runs/:run/rerun', async (c) => {
    const run = c.req.param('run');
    const choices = choicesIn((name) => c.req.query(name));
    const prepared = await prepare({ run, ...choices, id: null, by: c.get('person') }, site);
    return sendPage(
      c,
      site,
      { title: 'Rerun', section: 'runs' },
      <RerunPage run={run} prepared={prepared} choices={choices} shown={signOf(prepared)} />,
    );
  });
  app.post('/runs/:run/rerun', async (c) => {
    const run = c.req.param('run');
    const sent = await sentIn(c);
    const id = checkRunId(sent['id'] ?? '');
    const start = async (): Promise<void> => {
      const by = c.get('person');
      const prepared = await prepare({ run, ...choicesIn((name) => sent[name]), id, by }, site);
      if (signOf(prepared) !== sent['shown'])
        throw refusal('A rerun would do something else now than was shown to you. Nothing was started: look again.');
      const link = await site.session.connect({ start: true });
      await startSubmission(prepared.submission, link);
    };
    const starting = started.get(id) ?? start();
    started.set(id, starting);
    await starting.catch((error: unknown) => {
      started.delete(id);
      throw error;
    });
    return c.redirect(runPath(id), 303);
  });
}

function choicesIn(read: (name: string) => string | undefined): Choices {
  return { from: read('from') || null, again: read('again') === 'yes' };
}

/** By the definition and the configuration as they are now. Problems of these are told whole. */
async function prepare(
  choices: Choices & { run: string; id: string | null; by: string },
  { session, terminal }: Site,
): Promise<PreparedRerun> {
  try {
    return await session.patiently(async () =>
      prepareRerun(
        { ...choices, gates: 'ask', limits: NO_BUDGETS },
        { ...session, ...(await openWorkspace(terminal)) },
        terminal,
      ),
    );
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error;
    const { problems, sources, files } = error;
    throw new CliError(printProblems(problems, sources, { files, color: false }), EXIT.ended);
  }
}

/** Tells what was shown from what would be done later. */
function signOf({ submission, forecast, changed }: PreparedRerun): string {
  return sha256(canonicalJson([submission.compiled.plan.hash, { ...forecast }, changed]));
}
