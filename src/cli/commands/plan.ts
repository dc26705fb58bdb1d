import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PastRun } from '../../compiler/forecast/past.js';
import type { CommandSpec } from '../command.js';
import { INPUT_OPTIONS } from '../command.js';
import { EXIT } from '../exit-codes.js';
import type { Workspace } from '../session.js';
import type { Terminal } from '../terminal.js';
import { print, printJson } from '../terminal.js';

const FORMATS = ['text', 'json', 'graph', 'mermaid', 'svg'] as const;

export const plan: CommandSpec = {
  name: 'plan',
  summary: 'show what a definition compiles to: steps, edges, inputs, the most it may use',
  arguments: [
    { syntax: '<definition>', about: 'a definition file, or the name of one' },
    { syntax: '[request]', about: 'what would be asked for, as with `run`' },
  ],
  options: [
    ...INPUT_OPTIONS,
    { flags: '--format <format>', about: 'text (default), json (the Plan), graph, mermaid or svg', choices: FORMATS },
    { flags: '--json', about: 'the same as `--format json`' },
  ],
  examples: [
    'perdure plan definitions/workflows/hello.yml',
    'perdure plan hello -i name=World',
    'perdure plan hello --format svg > hello.svg',
  ],
  async run({ arguments: [definition = '', request], options, terminal }) {
    const { openWorkspace } = await import('../session.js');
    const { compile } = await import('../submit/prepare.js');
    const workspace = await openWorkspace(terminal);
    const { givenInput, namesGiven } = await import('../submit/collect-input.js');
    const { readInputFile, readRequest, tellSpelling } = await import('../submit/read-request.js');
    const written = { pairs: options.list('input'), file: await readInputFile(options.text('inputs'), terminal) };
    const compiled = await compile(definition, workspace, terminal, { given: namesGiven(written) });
    await tellSpelling(options.text('inputs'), compiled.plan.inputs, terminal);
    const given = givenInput(compiled.plan, {
      ...written,
      request: await readRequest(request, terminal),
    });
    switch (options.flag('json') ? 'json' : options.text('format')) {
      case 'json':
        printJson(terminal, compiled.plan);
        break;
      case 'graph':
        printJson(terminal, (await import('../render/plan/pending-graph.js')).pendingGraph(compiled));
        break;
      case 'mermaid':
        print(terminal, (await import('../render/plan/plan-mermaid.js')).planMermaid(compiled.plan));
        break;
      case 'svg':
        print(terminal, (await import('../render/plan/plan-svg.js')).planSvg(compiled.plan));
        break;
      default:
        await (
          await import('../submit/print-plan.js')
        ).printPlan({ ...compiled, given }, workspace, await pastOf(workspace, terminal), terminal);
    }
    return EXIT.success;
  },
};

/** Closed runs, as far as they can be read: a plan is shown without them too. */
async function pastOf({ project, config }: Workspace, terminal: Terminal): Promise<PastRun[]> {
  // What reads a store is not loaded where there is none.
  if (config.store === undefined && !existsSync(join(project.stateDir, 'runs'))) return [];
  const { openExisting } = await import('../session.js');
  const { readPast } = await import('../../workers/forecast/read-past.js');
  const session = await openExisting(terminal, { taskQueue: null }).catch(() => null);
  return session === null ? [] : readPast(session.store).catch(() => []);
}
