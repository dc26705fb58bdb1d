import type { Node } from '../../text/node.js';
import { keyOf, memberOf } from '../../text/node.js';
import type { Place, Report } from '../../problems/problem.js';

/** Warns of keys that change nothing because another key of the same spec counts instead. */
export function warnOfOverruled(node: Node, report: Report): void {
  const warn = (at: Place, message: string): void =>
    report({ code: 'unsupported-key', severity: 'warning', at, message });
  const nugget = memberOf(node, 'nugget');
  for (const key of ['goal', 'type', 'description'])
    if (has(node, key) && has(nugget, key))
      warn(keyOf(node, key), `\`${key}\` stands under \`nugget\`, too: that counts.`);
  warnOfImages(node, warn);
  const workflow = memberOf(node, 'workflow');
  if (workflow === null) return;
  if (has(workflow, 'start_command') && has(workflow, 'page'))
    warn(
      keyOf(workflow, 'start_command'),
      '`page` stands beside it, and is what has to be there: this is not started.',
    );
  if (has(workflow, 'test_command') && memberOf(workflow, 'testing_enabled')?.value === false)
    warn(keyOf(workflow, 'test_command'), 'Nothing is tested with `testing_enabled: false`: this is not run.');
  const loops = memberOf(workflow, 'feedback_loops')?.items ?? [];
  const triggers = loops.map((loop) => memberOf(loop, 'trigger')?.value);
  for (const [index, loop] of loops.entries())
    if (triggers[index] !== 'custom' && triggers.indexOf(triggers[index]) < index)
      warn(keyOf(loop, 'trigger'), 'A feedback loop of this trigger stands before it: the first one counts.');
}

function warnOfImages(node: Node, warn: (at: Place, message: string) => void): void {
  for (const device of memberOf(node, 'devices')?.items ?? [])
    if (has(device, 'image') && has(device, 'images'))
      warn(keyOf(device, 'image'), '`images` stands beside it, and is what is flashed: this is not.');
}

function has(node: Node | null, key: string): boolean {
  return node !== null && memberOf(node, key) !== null;
}
