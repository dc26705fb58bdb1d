import { createDevices } from '../../compiler/project/devices.js';
import type { TargetDevice } from '../../plan/builds/deployment.js';
import { targetDevices } from '../../plan/builds/deployment.js';
import type { DeviceKind } from '../../plan/devices/device.js';
import type { Plan } from '../../plan/plan.js';
import { everyStepOf } from '../../plan/plan.js';
import type { Json } from '../../plan/values/json.js';
import type { Hash, Text } from '../../plan/values/value.js';
import type { Finding } from '../../workers/doctor/finding.js';
import { gitFinding, programFinding } from '../../workers/doctor/programs.js';
import { sandboxFinding } from '../../workers/doctor/sandbox.js';
import { CliError, EXIT } from '../exit-codes.js';
import type { Workspace } from '../session.js';
import { ownOf } from '../../plan/values/own.js';

/** The specs of the builds that a Plan has. */
export function buildsIn(plan: Plan): Text[] {
  return [...everyStepOf(plan)].flatMap((step) => (step.kind === 'plan' ? (step.build ?? []) : []));
}

/** What is looked at for the builds of a Plan. */
export interface BuildNeeds {
  specs: Text[];
  texts: ReadonlyMap<Hash, string>;
  /** Boards are written. */
  flashes: boolean;
  env: NodeJS.ProcessEnv;
}

/** What builds need on this machine and do not find, each with how to get it: a sandbox, git, tools of their boards. */
export async function missingForBuild(
  { specs, texts, flashes, env }: BuildNeeds,
  { project, config }: Workspace,
): Promise<Finding[]> {
  const find = createDevices(project, config);
  const programs = new Map<string, string>();
  for (const target of specs.flatMap((text) => targetDevices(specOf(text, texts)))) {
    const found = find(target.name);
    if (!('device' in found)) continue; // a warning has told of it, and the build is partial
    const isElsewhere = ownOf(config.devices, target.name)?.task_queue !== undefined;
    for (const program of isElsewhere ? [] : programsFor(target, found.device.kind, flashes))
      programs.set(program, ownOf(found.device.kind.tools, program) ?? `Put \`${program}\` on the PATH`);
  }
  const tools = [...programs].map(([name, fix]) => programFinding(name, { purpose: 'a board needs it', fix }, env));
  const findings = [await sandboxFinding(), gitFinding(project.root), ...tools];
  return findings.filter(({ ok }) => !ok);
}

/** The first words of what is run for a board: compilers where its kind compiles, else what writes it. */
function programsFor({ sources, compile, files }: TargetDevice, kind: DeviceKind, flashes: boolean): string[] {
  const compiled = compile === null && sources.length > 0 ? kind.compile : null;
  const library = compiled?.library ?? null;
  const commands = [
    ...(compiled === null ? [] : [...compiled.rules.map(({ run }) => run), ...compiled.link]),
    ...(library === null ? [] : [library.run]),
    ...(flashes ? [...kind.flash, ...kind.verify] : []),
    ...(flashes && files.length > 0 && kind.files !== null ? [...kind.files.write, ...kind.files.verify] : []),
  ];
  return commands.flatMap(([program]) => (program === undefined || program.includes('{') ? [] : [program]));
}

function specOf(text: Text, texts: ReadonlyMap<Hash, string>): Json {
  const whole = typeof text === 'string' ? text : texts.get(text.text);
  return whole === undefined ? null : (JSON.parse(whole) as Json); // the compiler wrote it
}

/** What is said where something is missing. `model` is why no model can be asked; null where one can. */
export function cannotBuild(missing: Finding[], model: string | null): CliError {
  const all = [
    ...missing.map(({ name, detail, fix }) => `  ${name}: ${detail}${fix === null ? '' : `\n    ${fix}`}`),
    ...(model === null ? [] : [`  model: ${model}`]),
  ];
  return new CliError(
    `The build cannot begin, and nothing was started. What is missing here:\n${all.join('\n')}`,
    EXIT.unavailable,
    '`perdure doctor` looks at everything that can be missing.',
  );
}
