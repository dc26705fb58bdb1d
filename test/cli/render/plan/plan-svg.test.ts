import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LaidPicture } from '../../../../src/cli/render/plan/plan-layout.js';
import { layOut } from '../../../../src/cli/render/plan/plan-layout.js';
import { planMermaid } from '../../../../src/cli/render/plan/plan-mermaid.js';
import { pictureOf } from '../../../../src/cli/render/plan/plan-picture.js';
import { planSvg } from '../../../../src/cli/render/plan/plan-svg.js';
import type { Plan } from '../../../../src/plan/plan.js';
import { after, commandStep, plan } from '../../../plan/helpers/build-plan.js';
import { everything } from '../../helpers/every-kind.js';

const HOSTILE = [
  '"><script>alert(1)</script>',
  '</text><image href="http://x/">',
  '&amp;&#60;',
  '\u001b[31mred',
  'a\u202eb',
  '\u0000\uffff\ud800',
  '"]\n  click node-0 call evil()',
  '%%{init: {}}%%',
  '`x` #lt; ;end',
  '---\nconfig:\n---',
  'a'.repeat(5_000),
];

/** Elements of an XML text, each with its attributes; throws where the text is not well formed. */
function elementsOf(xml: string): string[] {
  const open: string[] = [];
  const names: string[] = [];
  const text = xml.replace(/<style>[^<]*<\/style>/, '');
  const rest = text.replace(
    /<(\/?)([a-z]+)((?: [a-zA-Z:-]+="[^"<]*")*)(\/?)>/g,
    (...[, close, name, , empty]: string[]) => {
      if (close !== '') expect(open.pop()).toBe(name);
      else {
        names.push(name ?? '');
        if (empty === '') open.push(name ?? '');
      }
      return '';
    },
  );
  expect(open).toEqual([]);
  expect(rest).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot|#39);)/);
  // eslint-disable-next-line no-control-regex -- XML has none of these
  expect(rest).not.toMatch(/[\x00-\x08\x0b-\x1f\ufffe\uffff]/);
  return names;
}

function checkPlaces({ boxes, frames, lines, width, height }: LaidPicture): void {
  for (const { x, y, width: wide, height: high, inside } of boxes) {
    expect(x).toBeGreaterThanOrEqual(-1e-6);
    expect(y).toBeGreaterThanOrEqual(-1e-6);
    expect(x + wide).toBeLessThanOrEqual(width + 1e-6);
    expect(y + high).toBeLessThanOrEqual(height + 1e-6);
    if (inside !== null) {
      expect(inside.width).toBeLessThanOrEqual(wide);
      checkPlaces(inside);
    }
  }
  boxes.forEach((a, at) => {
    for (const b of boxes.slice(at + 1)) {
      const overlap = a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
      expect(overlap, `${a.box.name} and ${b.box.name}`).toBe(false);
    }
  });
  for (const { x, y } of lines.flat())
    expect([Number.isFinite(x), Number.isFinite(y), x >= -1, y >= -1]).toEqual([true, true, true, true]);
  expect(frames.every(({ width: wide, height: high }) => wide > 0 && high > 0)).toBe(true);
}

const graphs = fc
  .array(
    fc.tuple(
      fc.array(fc.nat(30), { maxLength: 4 }),
      fc.constantFrom(null, null, 'a', 'b'),
      fc.constantFrom('x', ...HOSTILE),
    ),
    { minLength: 1, maxLength: 30 },
  )
  .map((steps): Plan => {
    const groups: Record<string, number[]> = {};
    steps.forEach(([, group], index) => {
      if (group !== null) (groups[group] ??= []).push(index);
    });
    return plan(
      steps.map(([needs, group, word], index) =>
        commandStep(index, ['echo', word], {
          needs: after(...new Set(needs.filter((need) => need < index))),
          parallel_group: group,
        }),
      ),
      { groups },
    );
  });

describe('plan --format svg', () => {
  it('puts every box at a place of its own inside of the picture', () => {
    fc.assert(
      fc.property(graphs, (made) => checkPlaces(layOut(pictureOf(made)))),
      { numRuns: 60 },
    );
    checkPlaces(layOut(pictureOf(everything())));
  });

  it('is well-formed XML without script, link or event, whatever a definition holds', () => {
    fc.assert(
      fc.property(graphs, (made) => {
        const kinds = new Set(elementsOf(planSvg({ ...made, name: made.steps.length % 2 === 0 ? 'plain' : '<b>&"' })));
        expect(
          [...kinds].filter(
            (name) => !['svg', 'title', 'style', 'defs', 'marker', 'path', 'rect', 'text', 'g'].includes(name),
          ),
        ).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('has its colours without a style sheet, as programs that are no browser draw it', () => {
    const bare = planSvg(everything()).replace(/<style>[^<]*<\/style>/, '');
    const drawn = [...bare.matchAll(/<(?:rect|text|path)\b[^>]*>/g)].map(([element]) => element);
    expect(drawn.filter((element) => !/ fill="(?:#[0-9a-f]{3,6}|none)"/.test(element))).toEqual([]);
    expect(
      drawn.filter(
        (element) => /^<rect/.test(element) && !/class="paper"/.test(element) && !/ stroke="#/.test(element),
      ),
    ).toEqual([]);
    expect(bare).not.toContain('var(');
  });

  it('shows each step, group, condition, item and round', () => {
    const svg = planSvg(everything());
    for (const word of [
      'files',
      'reviewers',
      'if contains',
      'for each of',
      'until contains',
      'Publish it?',
      'Who signs?',
      'steps as above',
      'always',
    ])
      expect(svg).toContain(word);
    elementsOf(svg);
  });

  it('is the same each time', () => {
    expect(planSvg(everything())).toBe(planSvg(everything()));
  });

  it.each([
    ['in a row', (step: number) => (step === 0 ? [] : [step - 1])],
    ['after one', (step: number) => (step === 0 ? [] : [0])],
    ['alone', () => []],
  ])('draws 2,000 steps %s', (_, needsOf) => {
    const steps = Array.from({ length: 2_000 }, (_unused, index) =>
      commandStep(index, ['true'], { needs: after(...needsOf(index)) }),
    );
    const picture = layOut(pictureOf(plan(steps)));
    expect(picture.boxes).toHaveLength(2_000);
    expect(Number.isFinite(picture.width + picture.height)).toBe(true);
  });
});

describe('plan --format mermaid', () => {
  it('keeps what a definition holds inside of labels', () => {
    fc.assert(
      fc.property(graphs, (made) => {
        for (const line of planMermaid(made).split('\n').slice(1)) {
          const bare = line.replace(/"(?:[^"\\[\]{}|`<>]|<br\/>)*"/g, '""').trimStart();
          if (!bare.startsWith('class'))
            expect(bare).toMatch(/^(?:node-\d+(?:\[""\]|\(\[""\]\)| --> node-\d+)|subgraph [a-z0-9-]+\[""\]|end)$/);
          else expect(bare).toMatch(/^(?:class node-\d+ \w+|classDef \w+ [a-z0-9:, -]+)$/);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('nests what steps consist of, and the members of groups', () => {
    const lines = planMermaid(everything()).split('\n');
    expect(lines).toContain(
      '  subgraph node-4["foreach each<br/>for each of #36;#123;steps#91;0#93;.output#125;, 3 at once"]',
    );
    expect(lines).toContain(
      '    subgraph node-6["loop retry<br/>until contains(steps#91;0#93;.output, #34;pass#34;), at most 3 times"]',
    );
    expect(lines).toContain('  subgraph plan-group-0["reviewers"]');
    expect(lines.filter((line) => line.trim() === 'end')).toHaveLength(4);
  });
});
