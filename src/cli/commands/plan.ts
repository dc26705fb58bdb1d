import type { CommandSpec } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { print, printJson, widthOf } from '../terminal.js';

const FORMATS = ['text', 'json', 'graph', 'mermaid'] as const;

export const plan: CommandSpec = {
  name: 'plan',
  summary: 'show what a definition compiles to: steps, edges, inputs, the most it may use',
  arguments: [{ syntax: '<definition>', about: 'a definition file, or the name of one' }],
  options: [
    { flags: '--format <format>', about: 'text (default), json (the Plan), graph or mermaid', choices: FORMATS },
    { flags: '--json', about: 'the same as `--format json`' },
  ],
  examples: ['perdure plan definitions/workflows/hello.yml', 'perdure plan hello --format mermaid > hello.mmd'],
  async run({ arguments: [definition = ''], options, terminal }) {
    const { openWorkspace } = await import('../session.js');
    const { compile } = await import('../submit/prepare.js');
    const compiled = await compile(definition, await openWorkspace(terminal), terminal);
    const format = options.flag('json') ? 'json' : (options.text('format') ?? 'text');
    const pictures = await import('../render/plan-pictures.js');
    if (format === 'json') printJson(terminal, compiled.plan);
    else if (format === 'graph') printJson(terminal, pictures.planGraph(compiled.plan));
    else if (format === 'mermaid') print(terminal, pictures.planMermaid(compiled.plan));
    else {
      const { renderPlan } = await import('../render/plan-text.js');
      print(terminal, ...renderPlan(compiled.plan, compiled.texts, { width: widthOf(terminal.stdout), palette: terminal.resultPalette }));
    }
    return EXIT.success;
  },
};
