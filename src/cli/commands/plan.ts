import type { CommandSpec } from '../command.js';
import { INPUT_OPTIONS } from '../command.js';
import { EXIT } from '../exit-codes.js';
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
    const compiled = await compile(definition, workspace, terminal);
    const { givenInput } = await import('../submit/collect-input.js');
    const { readInputFile, readRequest } = await import('../submit/read-request.js');
    const given = givenInput(compiled.plan, {
      pairs: options.list('input'),
      file: await readInputFile(options.text('inputs'), terminal),
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
        await (await import('../submit/print-plan.js')).printPlan({ ...compiled, given }, workspace, terminal);
    }
    return EXIT.success;
  },
};
