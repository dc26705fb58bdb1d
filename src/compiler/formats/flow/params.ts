import type { Json } from '../../../plan/values/json.js';
import { isObject } from '../../../plan/values/json.js';
import { describe } from '../../text/check.js';
import { ID } from '../../../plan/names.js';
import type { Node } from '../../text/node.js';
import { keyOf, memberOf } from '../../text/node.js';
import { writtenText } from '../../text/written-number.js';
import type { Place, Report } from '../../problems/problem.js';

/** A parameter that the front matter declares: an input of the flow. */
export interface Parameter {
  at: Place;
  description: string | null;
  default: string | null;
  required: boolean;
}

/**
 * The declared parameters, from `params:` as a map of names to descriptions or to maps, or as a list of names or of
 * maps with `name`.
 */
export function readParameters(node: Node, report: Report): Map<string, Parameter> {
  const parameters = new Map<string, Parameter>();
  const add = (name: Json | undefined, at: Place, spec: Node | null): void => {
    if (typeof name !== 'string' || !ID.test(name))
      report({
        code: 'invalid-name',
        at,
        message:
          `Expected the name of a parameter: a letter or \`_\`, then letters, digits, \`-\` or \`_\`; got ` +
          `${describe(name ?? null)}.`,
      });
    else if (parameters.has(name))
      report({ code: 'duplicate-name', at, message: `The parameter \`${name}\` is declared twice.` });
    else parameters.set(name, toParameter(at, spec));
  };
  if (node.members !== null) for (const [name, member] of node.members) add(name, keyOf(node, name), member.node);
  else if (node.items !== null) {
    for (const item of node.items) {
      if (isObject(item.value)) add(item.value.name, memberOf(item, 'name') ?? item, item);
      else add(item.value, item, null);
    }
  } else if (node.value !== null)
    report({
      code: 'invalid-value',
      at: node,
      message: 'Expected a map from the names of parameters to their descriptions.',
    });
  return parameters;
}

function toParameter(at: Place, spec: Node | null): Parameter {
  if (spec !== null && isObject(spec.value)) {
    const { description, required } = spec.value;
    const fallback = memberOf(spec, 'default');
    return {
      at,
      description: typeof description === 'string' ? description : null,
      default: fallback === null || fallback.value === null ? null : textOf(fallback),
      required: required !== false,
    };
  }
  const said = spec === null || spec.value === null ? '' : textOf(spec).trim();
  const open = said.endsWith(')') ? said.lastIndexOf('(') : -1;
  const found = open === -1 ? null : /^\(\s*default\s*[:=]([^]*)\)$/i.exec(said.slice(open));
  if (found === null) return { at, description: said === '' ? null : said, default: null, required: true };
  const [, value = ''] = found;
  return { at, description: said.slice(0, open).trim() || null, default: unquote(value.trim()), required: true };
}

/** A text, or a list or a map as JSON. */
function textOf(node: Node): string {
  return typeof node.value === 'object' ? JSON.stringify(node.value) : writtenText(node);
}

function unquote(text: string): string {
  return text.length > 1 && text[0] === text.at(-1) && (text[0] === '"' || text[0] === "'") ? text.slice(1, -1) : text;
}
