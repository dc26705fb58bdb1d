import type { JsonObject } from '../../plan/json.js';
import type { CommandSpec } from '../command.js';
import { INPUT_OPTIONS } from '../command.js';
import { EXIT } from '../exit-codes.js';
import type { Session } from '../session.js';
import type { Compiled } from '../submit/prepare.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, widthOf } from '../terminal.js';

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
        printJson(
          terminal,
          (await import('../render/authored-graph.js')).authoredGraph(compiled) ??
            (await import('../render/plan-graph.js')).planGraph(compiled.plan),
        );
        break;
      case 'mermaid':
        print(terminal, (await import('../render/plan-mermaid.js')).planMermaid(compiled.plan));
        break;
      case 'svg':
        print(terminal, (await import('../render/plan-svg.js')).planSvg(compiled.plan));
        break;
      default:
        await printPlan({ ...compiled, given }, workspace, terminal);
    }
    return EXIT.success;
  },
};

/** The picture of a Plan for people: what it needs, its steps, the most it may use. */
export async function printPlan(
  compiled: Compiled & { given?: JsonObject },
  { config }: Pick<Session, 'config'>,
  terminal: Terminal,
): Promise<void> {
  const { renderPlan } = await import('../render/plan-text.js');
  const { forecastOf } = await import('../../compiler/forecast.js');
  const { DEFAULT_MAX_DEPTH, levelsOf } = await import('../../compiler/levels.js');
  const { priceRange } = await import('../submit/price-range.js');
  const { settleLimits } = await import('../submit/limits.js');
  const forecast = forecastOf(compiled.plan, config.agents?.default ?? null);
  const price = priceRange(forecast.calls, config.models, terminal.env);
  const depth = { levels: levelsOf(compiled.plan), most: config.workflows?.max_depth ?? DEFAULT_MAX_DEPTH };
  const limits = settleLimits(compiled.plan, compiled.plan.budgets, config.workflows?.budgets);
  print(
    terminal,
    ...renderPlan(
      { ...compiled, forecast, price, limits, depth },
      { width: widthOf(terminal.stdout), palette: terminal.resultPalette },
    ),
  );
}
