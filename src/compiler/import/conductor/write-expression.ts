import type { Json } from '../../../plan/values/json.js';
import { literalText } from '../../../plan/values/expression.js';
import type { Node } from '../../text/node.js';
import { piecesOf } from '../shared/template-text.js';
import type { Jinja } from './expression.js';
import { JinjaFault, parseJinja } from './expression.js';
import type { Site } from './references.js';
import { meaningOf, refuse } from './references.js';

/** An expression of Jinja in ours, with operators; null when something in it means nothing, which is reported. */
export function condition(text: string, site: Site): string | null {
  const whole = /^\s*\{\{-?([^]*?)-?\}\}\s*$/.exec(text);
  const inner = whole?.[1] ?? text;
  if (whole === null && /\{[{%]/.test(text))
    return refuse(site, { start: 0, end: text.length }, 'A condition is one `{{ … }}`, and nothing around it.', null);
  const offset = site.offset + (whole === null ? 0 : text.indexOf(inner, text.indexOf('{{') + 2));
  const parsed = parsedIn(inner, { ...site, offset });
  return parsed && written(parsed, { ...site, offset });
}

/** The list that an expression of Jinja names, as what `foreach` goes through; null as `condition` does. */
export function listOf(text: string, site: Site): string | null {
  const items = condition(text, site);
  return items && `\${${items.replace(/^\((.*) \?\? null\)$/, '$1 ?? null')}}`;
}

function parsedIn(text: string, site: Site): Jinja | null {
  try {
    return parseJinja(text);
  } catch (fault) {
    if (!(fault instanceof JinjaFault)) throw fault;
    return refuse(
      site,
      fault,
      `\`${text.trim().slice(0, 60)}\` is no condition that can be carried over: ${fault.message}.`,
      null,
    );
  }
}

function written(jinja: Jinja, site: Site): string | null {
  switch (jinja.kind) {
    case 'literal':
      return literal(jinja.value);
    case 'path':
      return writtenPath(jinja, site);
    case 'not': {
      const operand = written(jinja.operand, site);
      return operand && (jinja.operand.kind === 'binary' && !operand.startsWith('(') ? `!(${operand})` : `!${operand}`);
    }
    case 'binary':
      return writtenBinary(jinja, site);
    case 'call': {
      const operands = jinja.operands.map((operand) => written(operand, site));
      return operands.includes(null) ? null : `${jinja.name}(${operands.join(', ')})`;
    }
    case 'default': {
      const [operand, otherwise] = [bare(jinja.operand, site), bare(jinja.otherwise, site)];
      return operand && otherwise && `(${operand} ?? ${otherwise})`;
    }
    case 'defined': {
      const operand = bare(jinja.operand, site);
      return operand && `((${operand} ?? null) != null)`;
    }
  }
}

/** What may stand beside a `??`: a path or a literal. */
function bare(jinja: Jinja, site: Site): string | null {
  if (jinja.kind === 'literal') return literal(jinja.value);
  if (jinja.kind === 'default') {
    const [operand, otherwise] = [bare(jinja.operand, site), bare(jinja.otherwise, site)];
    return operand && otherwise && `${operand} ?? ${otherwise}`;
  }
  if (jinja.kind !== 'path')
    return refuse(site, { start: 0, end: 1 }, 'Only a value can stand here, without operators.', null);
  const meaning = meaningOf(wholeOf(jinja.parts, site), site, jinja);
  if (meaning === null) return null;
  if ('literal' in meaning) return literal(meaning.literal);
  return 'exitOf' in meaning ? refuseExit(site, jinja) : meaning.path;
}

/** A path that names a node alone means what the node yields. */
function wholeOf(parts: (string | number)[], { conductor }: Site): (string | number)[] {
  const [first, ...rest] = parts;
  const node = rest.length > 0 || typeof first !== 'string' ? undefined : conductor.graph.byName.get(first);
  switch (node?.does.kind) {
    case undefined:
    case 'parallel':
      return parts;
    case 'human_gate':
      return [...parts, 'choice'];
    case 'for_each':
      return [...parts, 'outputs'];
    case 'script':
      return [...parts, 'output', 'stdout'];
    default:
      return [...parts, 'output'];
  }
}

function refuseExit(site: Site, place: { start: number; end: number }): null {
  return refuse(
    site,
    place,
    'How a program ended stands in the last line of its output, and can only be compared with a number.',
    'leave it out: `stdout` says it in its last line',
  );
}

function writtenPath(jinja: Extract<Jinja, { kind: 'path' }>, site: Site): string | null {
  const meaning = meaningOf(jinja.parts, site, jinja);
  if (meaning === null) return null;
  if ('literal' in meaning) return literal(meaning.literal);
  if ('exitOf' in meaning) return `!${ended(meaning.exitOf, 0)}`;
  return meaning.certain ? meaning.path : `(${meaning.path} ?? null)`;
}

function ended(output: string, code: number): string {
  return `endsWith((${output} ?? ''), '[exit code ${code}]')`;
}

function writtenBinary({ operator, left, right }: Extract<Jinja, { kind: 'binary' }>, site: Site): string | null {
  const exit = exitCompared(operator, left, right, site);
  if (exit !== undefined) return exit;
  const isJoint = operator === '&&' || operator === '||';
  const side = (jinja: Jinja): string | null => {
    const text = written(jinja, site);
    return text !== null && !isJoint && jinja.kind === 'binary' ? `(${text})` : text;
  };
  const sides = [side(left), side(right)];
  const text = sides.join(` ${operator} `);
  return sides.includes(null) ? null : isJoint ? `(${text})` : text;
}

/** A comparison of how a program ended; undefined for any other. */
function exitCompared(operator: string, left: Jinja, right: Jinja, site: Site): string | null | undefined {
  const isPath = left.kind === 'path' && left.parts.at(-1) === 'exit_code';
  if (!isPath || right.kind !== 'literal') return undefined;
  const meaning = meaningOf(left.parts, site, left);
  if (meaning === null) return null;
  if (!('exitOf' in meaning)) return undefined;
  const code = right.value;
  if (typeof code === 'number' && operator === '==') return ended(meaning.exitOf, code);
  if (typeof code === 'number' && operator === '!=') return `!${ended(meaning.exitOf, code)}`;
  if (code === 0 && operator === '>') return `!${ended(meaning.exitOf, 0)}`;
  return refuseExit(site, left);
}

function literal(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return String(value);
  return `'${value.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n').replace(/\t/g, '\\t').replace(/\r/g, '\\r')}'`;
}

/** A backslash before `${` would make a text of it. */
const BACKSLASH = "${'\\\\'}";

/** A text with values in it in our words; null when something in it cannot be carried over, which is reported. */
export function template(text: string, site: Site, key: string): string | null {
  let result = '';
  let open = 0;
  let sound = true;
  for (const { kind, text: inner, start, end } of piecesOf(text)) {
    const place = { ...site, offset: start };
    if (kind === 'text') result += literalText(inner);
    else if (kind === 'value') {
      const value = valueIn(inner, { ...site, offset: start + text.slice(start, end).indexOf(inner) });
      if (value === null) sound = false;
      else result = `${result.replace(/\\$/, () => BACKSLASH)}\${${value}}`;
    } else if (kind === 'statement') {
      const opened = statement(inner, place, key);
      if (opened === null) sound = false;
      else open += opened;
    }
  }
  if (open !== 0 && sound)
    return refuse(site, { start: 0, end: 1 }, 'Each `{% if … %}` ends with an `{% endif %}`.', null);
  if (/\$\{\w+(?::-[^}]*)?\}/.test(text))
    site.conductor.losses.changed(key, site.at, 'variables of the environment are not put into texts: `${…}` stays');
  return sound ? result : null;
}

/** A value inside a text, where there are no operators. */
function valueIn(text: string, site: Site): string | null {
  const parsed = parsedIn(text, site);
  if (parsed === null) return null;
  if (parsed.kind === 'path') {
    const meaning = meaningOf(parsed.parts, site, parsed);
    if (meaning === null) return null;
    if ('exitOf' in meaning) return refuseExit(site, parsed);
    if ('literal' in meaning) return literal(meaning.literal);
    return meaning.certain ? meaning.path : `${meaning.path} ?? ''`;
  }
  if (parsed.kind === 'literal' || parsed.kind === 'default') return bare(parsed, site);
  return refuse(
    site,
    { start: 0, end: Math.max(text.length, 1) },
    `\`{{ ${text.slice(0, 60)} }}\` computes something, which a text cannot.`,
    'compute it in a step of `type: set`, and name that',
  );
}

/** How many conditions a statement opens; null when it is refused. */
function statement(text: string, site: Site, key: string): number | null {
  if (text === 'endif') return -1;
  const place = { start: 0, end: text.length + 4 };
  if (/^if\s/.test(text)) {
    if (condition(text.slice(3), { ...site, offset: site.offset + 3 }) === null) return null;
    site.conductor.losses.changed(
      key,
      site.at,
      `what stands below \`{% ${text} %}\` is always in the text, with nothing in place of values that are not there`,
    );
    return 1;
  }
  return refuse(
    site,
    place,
    `\`{% ${text.slice(0, 60)} %}\` cannot be carried over.`,
    /^for\s/.test(text)
      ? 'write the list itself, `{{ … }}`: it stands in the text as JSON'
      : 'write the text without it',
  );
}

/** Where the text of a node stands. */
export function siteAt(site: Omit<Site, 'at' | 'offset'>, at: Node): Site {
  return { ...site, at, offset: 0 };
}

/** A value in our words: a text that is one whole value keeps its type, and may compute. */
export function valueAt(at: Node, site: Omit<Site, 'at' | 'offset'>, key: string): Json | undefined {
  const { value } = at;
  if (typeof value !== 'string') return value;
  const place = siteAt(site, at);
  const isWhole = /^\s*\{\{(?:(?!\}\})[^])*\}\}\s*$/.test(value);
  const written = isWhole ? condition(value, place) : template(value, place, key);
  return written === null ? undefined : isWhole ? `\${${written}}` : written;
}
