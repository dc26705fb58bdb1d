import { render } from '../../plan/references/evaluate.js';
import type { Environment } from '../../plan/references/environment.js';
import { OUTER, rootsOf } from '../../plan/values/expression.js';
import type { Json } from '../../plan/values/json.js';
import { toText } from '../../plan/values/json.js';
import type { Value } from '../../plan/values/value.js';
import { isStored } from '../../plan/values/value.js';
import type { RunView, StepView } from '../observe/view/view.js';
import { safeLine } from '../text/safe-text.js';
import { clip } from '../text/width.js';

/** Columns of an item beside its number. */
const WIDEST_ITEM = 28;

/** What the items of a foreach may be read from: the run's input, and the steps around it, the innermost first. */
export interface Around {
  input: RunView['input'];
  layers: StepView[][];
}

/**
 * What stands beside the number of an item: a piece of it, on one line; empty where it is not at hand, and for the
 * rounds of a loop.
 */
export function itemNames({ step }: StepView, around: Around): (index: number) => string {
  const items =
    step.kind === 'foreach'
      ? attempt(() =>
          render(step.items, {
            environment: environmentOf(rootsOf([step.items]), around),
            load: isNotHere,
            text: (text) => (typeof text === 'string' ? text : isNotHere()),
          }),
        )
      : null;
  return (index) => {
    const item = Array.isArray(items) ? items[index] : undefined;
    return item === undefined
      ? ''
      : clip(safeLine(toText(typeof item === 'string' ? item : JSON.stringify(item))), WIDEST_ITEM);
  };
}

function environmentOf(roots: string[], { input, layers }: Around): Environment {
  return Object.fromEntries(
    roots.map((root) => {
      const name = root.replaceAll(OUTER, '');
      const [, step] = /^step:(\d+)\.output$/.exec(name) ?? [];
      const layer = layers[root.length - name.length] ?? [];
      const value =
        step === undefined
          ? input[name.replace(/^input:/, '')]
          : layer.find((view) => view.step.index === Number(step))?.result?.output;
      return [root, { value: value === undefined || value === null ? isNotHere() : atHand(value) }];
    }),
  );
}

/** The value itself; of a list that is stored the items at its beginning. */
function atHand(value: Value): Json {
  if (!isStored(value)) return value.value;
  const { preview = '' } = value;
  for (let end = preview.lastIndexOf(','); end > 0; end = preview.lastIndexOf(',', end - 1)) {
    const whole = attempt(() => JSON.parse(`${preview.slice(0, end)}]`) as Json); // JSON.parse gives nothing else
    if (whole !== null) return whole;
  }
  return isNotHere();
}

function isNotHere(): never {
  throw new Error('What the items are read from is not at hand.');
}

function attempt(compute: () => Json): Json {
  try {
    return compute();
  } catch {
    return null;
  }
}
