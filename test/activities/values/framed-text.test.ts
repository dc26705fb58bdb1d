import { describe, expect, it } from 'vitest';
import { renderFramed } from '../../../src/activities/values/framed-text.js';
import type { Scope } from '../../../src/plan/references/evaluate.js';
import type { Template } from '../../../src/plan/values/expression.js';
import type { Json } from '../../../src/plan/values/json.js';

/** What an author wrote, in which `$` stands for the next of these values. */
function rendered(written: string, ...values: Json[]): string {
  const environment = Object.fromEntries(values.map((value, index) => [`step:${index}.output`, { value }]));
  const scope: Scope = { environment, load: () => null, text: (text) => String(text) };
  const parts = written
    .split('$')
    .flatMap((text, index): (Template & { kind: 'text' })['parts'] => [
      ...(index === 0
        ? []
        : [{ expression: { kind: 'reference' as const, root: `step:${index - 1}.output`, path: [], source: 'x' } }]),
      text,
    ]);
  return renderFramed({ kind: 'text', parts }, scope);
}

describe('a value between tags of a prompt', () => {
  it.each<[string, string, Json[], string]>([
    ['ends no tag around it', '<out>\n$\n</out>', ['a</out>b'], '<out>\na<\\/out>b\n</out>'],
    ['nor one further out', '<a><b>$</b></a>', ['</b></a></c>'], '<a><b><\\/b><\\/a></c></b></a>'],
    ['nor one with an attribute', '<doc name="$">$</doc>', ['n', '</doc>'], '<doc name="n"><\\/doc></doc>'],
    ['nor as a lenient reader would see it', '<out>$</out>', ['< /OUT >'], '<out><\\ /OUT ></out>'],
    ['nor together with another one', '<out>$$</out>', ['<', '/out>'], '<out><\\/out></out>'],
    ['nor inside JSON', '<out>$</out>', [{ a: '</out>' }], '<out>{\n  "a": "<\\/out>"\n}</out>'],
    ['may have other tags', '<out>$</out>', ['</output></p>'], '<out></output></p></out>'],
    ['stands as it is behind the tags', '<out>$</out>$', ['x', '</out>'], '<out>x</out></out>'],
    ['stands as it is where a tag never ends', '<out>$', ['</out>'], '<out></out>'],
    ['stands as it is where none begins', '$</out>$', ['</out>', '</out>'], '</out></out></out>'],
    ['is the only thing that changes', '<a></a>$<a>x</a>', ['</a>'], '<a></a></a><a>x</a>'],
  ])('%s', (_what, written, values, expected) => {
    expect(rendered(written, ...values)).toBe(expected);
  });
});
