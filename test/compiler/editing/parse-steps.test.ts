// @seconds 10
import { expect, it } from 'vitest';
import { createStepsParser } from '../../../src/compiler/editing/parse-steps.js';
import { createReport } from '../../../src/compiler/problems/problem.js';
import { createSource, pathIn, positionAt } from '../../../src/compiler/problems/source.js';
import type { Place, Report } from '../../../src/compiler/problems/problem.js';
import type { Source } from '../../../src/compiler/problems/source.js';
import type { Node } from '../../../src/compiler/text/node.js';
import { parseYaml } from '../../../src/compiler/text/yaml.js';
import { SEED, shardOf } from './shard.js';
import { edited, writtenWorkflow } from './texts.js';

function whole(source: Source, report: Report): Node | null {
  return parseYaml({ source, start: 0, end: source.text.length }, report);
}

/** Where everything is, by lines and columns of the file. */
function placesOf(node: Node): unknown {
  const at = ({ source, path, start, end }: Place): unknown => {
    const { line, column, rest } = positionAt(source, start);
    return [pathIn(source, path), line, column, (source.part?.start ?? 0) + start, Math.min(end - start, rest)];
  };
  return [
    at(node),
    node.style,
    node.members && [...node.members].map(([name, { key, node: value }]) => [name, at(key), placesOf(value)]),
    node.items?.map(placesOf),
  ];
}

it(
  `what is read step by step is what is read at once, whatever is typed (PERDURE_SEED=${SEED})`,
  { timeout: 1_800_000 },
  () => {
    let alone = 0;
    let all = 0;
    for (const { below: random } of shardOf('steps alone', 400, 20)) {
      let text = writtenWorkflow(random, 8 + random(8));
      const read = createStepsParser();
      for (let turn = 0; turn < 25; turn++) {
        const source = createSource('/w/a.yml', 'a.yml', text);
        const [own, expected] = [createReport(), createReport()];
        const node = read(source, own.report);
        all += 1;
        if (node !== undefined) {
          alone += 1;
          const one = whole(source, expected.report);
          expect(own.problems, text).toEqual(expected.problems);
          expect(node?.value, text).toEqual(one?.value);
          expect(node && placesOf(node), text).toEqual(one && placesOf(one));
        }
        // A text that nobody can read any more is written anew.
        text = random(6) === 0 ? writtenWorkflow(random, 8 + random(8)) : edited(text, random);
      }
    }
    // Else nothing was compared.
    expect(alone / all).toBeGreaterThan(0.4);
  },
);
