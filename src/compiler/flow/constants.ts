import type { Constant } from '../formats/flow/ast.js';
import type { Report } from '../problems/problem.js';
import type { Late } from './frame.js';

/** A piece of a constant: text, or the value of a parameter. */
export type ConstantPart = string | { value: Late | null; source: string };

/** The texts that a flow gives names to, by name. Each may use those before it. */
export type Constants = Map<string, ConstantPart[]>;

/** Reads `$name := "…"` definitions in their order with `partsOf`; what is wrong with a name is reported. */
export function readConstants(
  definitions: Constant[],
  { constants, roles, report }: { constants: Constants; roles: ReadonlyMap<string, unknown>; report: Report },
  partsOf: (constant: Constant) => ConstantPart[],
): void {
  for (const constant of definitions) {
    const { text, at } = constant.name;
    if (!/^[A-Za-z_]\w*$/.test(text))
      report({
        code: 'invalid-name',
        at,
        message: `Expected a name for a text that braces can hold: letters, digits and \`_\`; got \`${text}\`.`,
        suggestion: `write \`${text.replace(/\W+/g, '_')}\``,
      });
    if (constants.has(text) || roles.has(text))
      report({
        code: 'duplicate-name',
        at,
        message: `\`$${text}\` is defined already.`,
        suggestion: 'give each definition its own name',
      });
    else constants.set(text, partsOf(constant));
  }
}
