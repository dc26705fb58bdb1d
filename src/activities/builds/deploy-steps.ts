import { mapIn, rulesAt } from '../../plan/builds/build-spec.js';
import type { TargetDevice } from '../../plan/builds/deployment.js';
import { boardStep, PAGE_STEP, targetDevices, targetOf } from '../../plan/builds/deployment.js';
import type { Gathering } from './steps/context-steps.js';
import type { TestedAgain } from './steps/evidence-steps.js';
import type { Mending } from './steps/mend-steps.js';
import { inVain, mendSteps, shownWith } from './steps/mend-steps.js';
import { literalText } from '../../plan/values/expression.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';

/** What the deployment of a build needs of the steps before it. */
export interface DeployPlace {
  /** Ids of the steps that come before: the last tests. */
  needs: string[];
  /** Who mends code that does not compile, an agent's name, and how often; null for nobody. */
  mend: Mending | null;
  /** What who mends is told of the build; null for nothing. */
  context: Gathering | null;
  /** How tests are run again once that was mended; null where nothing is tested. */
  again: TestedAgain | null;
  /** How a person is asked when code still does not compile; without it the step fails with what was said. */
  trouble: Trouble | null;
}

/** A gate of a loop's body for a part that does not come right by itself. */
export interface Trouble {
  /** The step that asks where the expression `when` holds, and shows the template `shown`. */
  step: (part: string, asked: { when: string; shown: string }) => object;
  /** An expression: a person has decided, and nothing more is tried. */
  decided: string;
  /** A template of what a person wished. */
  wish: string;
  /** Rounds that people may ask for beside those of `mend`. */
  rounds: number;
}

/** Steps in our own language, for a dag, and what the build's output says of them under `deploy`. */
export interface Deployment {
  steps: object[];
  output: JsonObject | null;
}

const NOTHING: Deployment = { steps: [], output: null };
const MOST_LISTENED = '10s';
const EXPECTED_WITHIN = '30s';

/**
 * The steps by which what was built goes to where it belongs, after its tests: a checklist where the spec has rules for
 * that, a page that is built, boards that are compiled for, flashed and listened to. Nothing for a preview.
 */
export function deploySteps(spec: Json, place: DeployPlace): Deployment {
  const target = targetOf(spec);
  const isPage = target === 'web' || target === 'both';
  const devices = targetDevices(spec);
  if (!isPage && devices.length === 0) return NOTHING;
  const checklist = checklistStep(spec, place.needs);
  const needs = checklist === null ? place.needs : [checklist.id];
  const isAsked = mapIn(spec, 'deployment')['auto_flash'] !== true;
  const page = pageStep({ ...place, needs });
  const boards = devices.map((device, index) => deviceSteps(device, index, { ...place, needs, isAsked }));
  return {
    steps: [
      ...(checklist === null ? [] : [checklist]),
      ...(isPage ? [page] : []),
      ...boards.flatMap(({ steps }) => steps),
    ],
    output: {
      target,
      ...(isPage
        ? {
            page: `\${steps.${PAGE_STEP}.output${isLooped(place) ? '.made' : ''} ?? null}`,
            open: 'perdure build open RUN',
          }
        : {}),
      ...(boards.length === 0 ? {} : { devices: Object.fromEntries(boards.map(({ name, output }) => [name, output])) }),
    },
  };
}

/** What must hold before anything leaves the project: a person says that it does. */
function checklistStep(spec: Json, needs: string[]): { id: string } | null {
  const rules = rulesAt(spec, 'before_deploy');
  if (rules.length === 0) return null;
  return {
    id: 'deploy_checklist',
    needs,
    approval: {
      message: 'Before it is deployed: does all of this hold?',
      content: literalText(rules.map(({ prompt }) => `[ ] ${prompt}`).join('\n')),
      edit: false,
      fallback: 'abort',
    },
  } as { id: string };
}

interface DevicePlace extends DeployPlace {
  /** A person says first that the board is there. */
  isAsked: boolean;
}

/** One board: an image, the flash, and what it says then. */
function deviceSteps(
  device: TargetDevice,
  index: number,
  place: DevicePlace,
): { name: string; steps: object[]; output: JsonObject } {
  const { name, expect, files, fault } = device;
  const compileId = boardStep(index, 'compile');
  const flashId = boardStep(index, 'flash');
  const listenId = boardStep(index, 'listen');
  if (fault !== null)
    return {
      name,
      // It fails and says why, so that the build is no success.
      steps: [{ id: flashId, needs: place.needs, set: { message: literalText(fault) }, require: false }],
      output: { flashed: null },
    };
  const compile = compileStep(device, compileId, place);
  // In a loop its output tells what became of it, else it has failed.
  const compiled = `steps.${compileId}.${isLooped(place) ? 'output.made' : 'output'}`;
  const problem = `steps.${compileId}.${isLooped(place) ? 'output.error' : 'error'}`;
  const image = imageOf(device, compile === null ? null : compiled);
  // Of a loop in which nothing was made it is the empty text.
  const made = compile === null ? {} : { when: `\${${compiled}}` };
  return {
    name,
    steps: [
      ...(compile === null ? [] : [compile]),
      {
        id: flashId,
        needs: compile === null ? place.needs : [compileId],
        ...made,
        flash: {
          device: name,
          ...image,
          ...(files.length === 0 ? {} : { files: files.map(literalText) }),
          ...(place.isAsked ? { ready: literalText(`Is \`${name}\` plugged in and ready to be flashed?`) } : {}),
        },
      },
      {
        id: listenId,
        needs: [flashId],
        when: `\${steps.${flashId}.status == 'success'}`,
        serial: {
          device: name,
          ...(expect === null ? {} : { expect: literalText(expect) }),
          timeout: expect === null ? MOST_LISTENED : EXPECTED_WITHIN,
        },
      },
    ],
    output: {
      ...(compile === null ? {} : { compile_error: `\${${problem} ?? null}` }),
      flashed: `\${steps.${flashId}.output ?? null}`,
      heard: `\${steps.${listenId}.output ?? null}`,
    },
  };
}

function askToMend(what: string, said: string): string {
  const ask = literalText(`# ${what}\n\nIt does not. Find the cause and mend it.`);
  return `${ask}\n\n<output>\n\${steps.compiled.error ?? ""}${said}\n</output>`;
}

function isLooped({ mend, trouble }: DeployPlace): boolean {
  return mend !== null || trouble !== null;
}

function imageOf({ image }: TargetDevice, compiled: string | null): JsonObject {
  if (Array.isArray(image)) return { images: escaped(image) };
  if (image !== null) return { image: escaped(image) };
  return compiled === null ? {} : { image: `\${${compiled}}` };
}

/** Texts of a spec are data: a `${…}` in them is no reference. */
function escaped(value: Json): Json {
  if (typeof value === 'string') return literalText(value);
  if (Array.isArray(value)) return value.map(escaped);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, escaped(inner)]))
    : value;
}

/**
 * Sources to an image, or the spec's own command; null where the image is there already. The board is not touched where
 * that fails.
 */
function compileStep({ name, sources, compile }: TargetDevice, id: string, place: DevicePlace): object | null {
  if (compile === null && sources.length === 0) return null;
  const act =
    compile === null
      ? { compile: { device: name, sources: sources.map(literalText) } }
      : { tool: 'build_project', inputs: { argv: compile.map(literalText) } };
  const told = { what: `make the program of ${name} compile`, trouble: `the program of ${name} does not compile` };
  return makeStep(id, { act, ...told }, place);
}

/** The page, made by the project's own script where it has one. */
function pageStep(place: DeployPlace): object {
  const act = { tool: 'build_project', inputs: { page: true } };
  return makeStep(PAGE_STEP, { act, what: 'make the page build', trouble: 'the page does not build' }, place);
}

/** What makes something to deploy, what who mends it is to do, and how people are told that it fails. */
interface Making {
  act: object;
  what: string;
  trouble: string;
}

/** A step that makes what is deployed. Where that fails it goes back to the builder, with what the tool said. */
function makeStep(id: string, making: Making, place: DeployPlace): object {
  const { needs, mend, again, trouble, context } = place;
  const { act, what } = making;
  if (!isLooped(place)) return { id, needs, ...act };
  const rounds = mend?.rounds ?? 0;
  const decided = trouble === null ? '' : ` || ${trouble.decided}`;
  const ok = `steps.compiled.status == 'success'${again === null ? '' : ` && ${again.passed}`}`;
  const reason = `steps.compiled.error${again === null ? '' : ` ?? ${again.reason}`}`;
  return {
    id,
    needs,
    on_error: 'stop',
    loop: {
      until: `\${(${ok})${decided}}`,
      max: 1 + rounds + (trouble?.rounds ?? 0),
      at_max: 'continue',
    },
    steps: [
      ...mendSteps(mend, {
        prompt: askToMend(capital(what), again === null ? '' : `\n${again.said}`),
        what,
        wish: trouble?.wish ?? '',
        gather: context,
      }),
      { id: 'compiled', ...act, on_error: 'continue' },
      ...(again?.steps ?? []),
      ...(trouble === null
        ? []
        : [
            // By itself: the gate stands in a list, whose `index` is another.
            { id: 'judged', set: { ask: `\${!(${ok}) && (index >= ${rounds} || ${inVain(mend)})}` } },
            trouble.step(making.trouble, {
              when: 'steps.judged.output.ask',
              shown: shownWith(mend, `\${${reason}}`),
            }),
          ]),
      {
        id: 'good',
        set: { made: '${steps.compiled.output ?? null}', message: `\${${reason} ?? ""}` },
        require: `\${${ok}}`,
        on_error: 'skip_dependents',
      },
    ],
    yields: { made: '${steps.good.output.made ?? null}', error: `\${${reason} ?? null}` },
  };
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
