import type { Forecast } from '../../../compiler/forecast/forecast.js';
import type { JsonObject } from '../../../plan/values/json.js';
import type { Plan } from '../../../plan/plan.js';
import type { Autonomy } from '../../../plan/gates/autonomy.js';
import type { KnownTexts } from '../../../plan/references/title.js';
import type { Budgets } from '../../../plan/budget/budgets.js';
import type { InputSpec } from '../../../plan/step.js';
import type { Text } from '../../../plan/values/value.js';
import type { PriceRange } from '../../../workers/forecast/price-range.js';
import type { Palette } from '../../text/colors.js';
import { formatCount, formatMinutes, formatUsd, plural, shortHash } from '../../text/format.js';
import { checkpointLines } from './checkpoint-lines.js';
import { pictureOf } from './plan-picture.js';
import { renderTree } from './plan-tree.js';
import { safeLine, safeName } from '../../text/safe-text.js';
import { templateText } from '../template-text.js';
import { clip, displayWidth, fit, wrap } from '../../text/width.js';
import { ownOf } from '../../../plan/values/own.js';

/** What `plan` tells about a definition. */
export interface PlanReport {
  plan: Plan;
  /** Its long texts, by hash. */
  texts: KnownTexts;
  /** Inputs that were given. */
  given?: JsonObject;
  /** Which steps need each input, by path. */
  inputPaths: Readonly<Record<string, string[]>>;
  forecast: Forecast;
  price: PriceRange;
  /** What closed runs say of it, in sentences. */
  fromPast: string[];
  /** The limits of a run of it, as the definition and the project's settings have them. */
  limits: Budgets;
  /** When actions wait for a person, as the project's settings have it; absent where they say nothing. */
  autonomy?: Autonomy;
  /** Levels of nested workflows: those it has, and those it may have. */
  depth: { levels: number; most: number };
}

/** What a definition compiles to, for people, in lines of at most `width` columns. */
export function renderPlan(report: PlanReport, style: { width: number; palette: Palette }): string[] {
  const { plan, texts, forecast, autonomy } = report;
  const { width, palette } = style;
  const read = (text: Text | null): string =>
    text === null ? '' : typeof text === 'string' ? text : (texts.get(text.text) ?? '');
  const head = `${safeName(plan.name)} · plan ${shortHash(plan.hash)} · at most ${plural(forecast.steps, 'step')}`;
  const description = safeLine(read(plan.description));
  return [
    palette.bold(clip(head, width)),
    ...paragraph(description, width),
    ...section('Needs', inputLines(report, read, width), palette),
    ...section('Steps', renderTree(pictureOf(plan, null, texts), width, palette), palette),
    ...section(
      'Waits for a person',
      checkpointLines(plan, autonomy === undefined ? [] : [autonomy]).flatMap((line) => paragraph(line, width)),
      palette,
    ),
    ...section(
      'At most',
      forecastLines(report).flatMap((line) => paragraph(line, width)),
      palette,
    ),
    ...section(
      'From the past',
      report.fromPast.flatMap((line) => paragraph(line, width)),
      palette,
    ),
    ...section('Limits', paragraph(limitLine(report), width), palette),
  ];
}

function section(title: string, lines: string[], { bold }: Palette): string[] {
  return lines.length === 0 ? [] : ['', bold(title), ...lines];
}

function paragraph(text: string, width: number): string[] {
  return text === '' ? [] : wrap(text, width - 2).map((line) => `  ${line}`);
}

/** Each input on a line; who needs it, and what it is for, below where there is no room beside. */
function inputLines(
  { plan, inputPaths, given = {} }: PlanReport,
  read: (text: Text | null) => string,
  width: number,
): string[] {
  const entries = Object.entries(plan.inputs).map(([name, spec]): [string, InputSpec] => [
    name,
    Object.hasOwn(given, name) ? { ...spec, required: false, default: given[name] ?? null } : spec,
  ]);
  const names = Math.min(24, Math.max(0, ...entries.map(([name]) => displayWidth(safeName(name)))));
  const kinds = Math.max(0, ...entries.map(([, spec]) => displayWidth(kindOfInput(spec))));
  return entries.flatMap(([name, spec]) => {
    const paths = ownOf(inputPaths, name) ?? [];
    const left = `  ${fit(safeName(name), names)}  ${fit(kindOfInput(spec), kinds)}`;
    const users = paths.length === 0 ? '' : `for ${paths.map(safeName).join(', ')}`;
    const about = safeLine(read(spec.description));
    return [
      clip(`${left}  ${users}`.trimEnd(), width),
      ...(about === '' ? [] : wrap(about, width - 6).map((line) => `      ${line}`)),
    ];
  });
}

function kindOfInput({ type, required, ...spec }: InputSpec): string {
  if (required) return `${type}, required`;
  return 'default' in spec ? `${type} = ${clip(safeLine(JSON.stringify(spec.default)), 20)}` : type;
}

function forecastLines({ forecast, price }: PlanReport): string[] {
  const { steps, events, leases, calls, perItem } = forecast;
  const own = calls.filter(({ program }) => program === undefined);
  const most = own.reduce((total, call) => total + call.most, 0);
  const least = own.reduce((total, call) => total + call.least, 0);
  const perEach = perItem.map((entry) => {
    const more = [plural(entry.steps, 'step'), ...(entry.calls === 0 ? [] : [plural(entry.calls, 'model call')])].join(
      ' and ',
    );
    return `${safeName(entry.path)}: ${more} for each of ${safeLine(templateText(entry.items))}; one is counted here`;
  });
  const counted =
    most === 0
      ? 'no model call'
      : `${least === most ? '' : `${formatCount(least)}–`}${plural(most, 'model call')}${modelNames(price)}`;
  const tasks = price.played.map((program) => {
    const played = calls.filter((call) => call.program === program);
    const [few, many] = [
      played.reduce((total, call) => total + call.least, 0),
      played.reduce((total, call) => total + call.most, 0),
    ];
    return `${few === many ? '' : `${formatCount(few)}–`}${plural(many, 'task')} for ${safeName(program)}`;
  });
  const held = leases === 0 ? [] : [`${plural(leases, 'event')} more, if the limits hold every nested step back`];
  return [
    [
      plural(steps, 'step'),
      ...(most === 0 && tasks.length > 0 ? [] : [counted]),
      ...tasks,
      plural(events, 'Temporal event'),
    ].join(' · '),
    ...held,
    ...perEach,
    ...priceLines(price),
  ];
}

function modelNames({ models }: PriceRange): string {
  return models.length === 0 ? '' : ` (${models.map(safeName).join(', ')})`;
}

function priceLines({ least, most, unpriced, played, openEnded }: PriceRange): string[] {
  const range =
    least === null || most === null
      ? []
      : [
          least === most
            ? formatUsd(most)
            : `${formatUsd(least)} with short answers, ${formatUsd(most)} with the longest; what inputs add is ` +
              `not known before`,
        ];
  const after =
    played.length === 0
      ? []
      : [`what ${played.map(safeName).join(', ')} will use is not known before: \`--max-cost-usd\` limits it`];
  const first = openEnded.map(safeName).join(', ');
  return [
    ...range,
    ...(first === '' ? [] : [`of ${first} the first turn alone is counted: how many follow is not known before`]),
    ...after,
    ...(unpriced.length === 0
      ? []
      : [`the price of ${unpriced.map(safeName).join(', ')} is not known: set \`models.prices\` in perdure.yml`]),
  ];
}

function limitLine({ limits, depth }: PlanReport): string {
  const { max_steps, max_parallel, max_runtime_mins, max_cost_usd, max_tokens } = limits;
  return [
    max_steps === null ? null : plural(max_steps, 'step'),
    max_parallel === null ? null : `${max_parallel} in parallel`,
    max_runtime_mins === null ? null : formatMinutes(max_runtime_mins),
    max_cost_usd === null ? 'no cost limit' : formatUsd(max_cost_usd),
    max_tokens === null ? null : `${formatCount(max_tokens)} tokens`,
    `${depth.levels} of ${plural(depth.most, 'level')}`,
  ]
    .filter((part) => part !== null)
    .join(' · ');
}
