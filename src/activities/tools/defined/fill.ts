import type { Json } from '../../../plan/values/json.js';
import { isObject, toText } from '../../../plan/values/json.js';

const REFERENCE = /(\\?)\$\{([^{}]{0,200})\}/g;
const WHOLE = /^\$\{([^{}]{0,200})\}$/;

/** A value that a call does not give, or one that could be taken for something else: a sentence for the model. */
export class FillRefusal extends Error {}

/** Values of a call and of its secrets, by name. */
export type Values = ReadonlyMap<string, Json>;

/** A text with its references in place: each is put in once, as data, and never looked through again (I4). */
export function fillText(text: string, values: Values, write: (value: string) => string = (value) => value): string {
  return text.replace(REFERENCE, (whole: string, escaped: string, name: string) => {
    if (escaped !== '') return whole.slice(1);
    const value = values.get(name.trim());
    return value === undefined ? '' : write(toText(value));
  });
}

/** Any value with its references in place; one that is a whole reference keeps its type. */
export function fill(value: Json, values: Values): Json {
  if (typeof value === 'string') {
    const [, name] = WHOLE.exec(value) ?? [];
    return name === undefined ? fillText(value, values) : (values.get(name.trim()) ?? null);
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, values));
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, values)]))
    : value;
}

/** An argument of a program: a value at its beginning cannot become an option, and none has a NUL. */
export function fillArgument(text: string, values: Values): string {
  const filled = fillText(text, values);
  if (text.startsWith('${') && /^[-@]/.test(filled))
    throw new FillRefusal(
      `An argument of the program would begin with \`${filled.slice(0, 1)}\`, and be taken for an option.`,
    );
  return withoutNul(filled);
}

/** A text as a program can be given it: refused where it has a NUL. */
export function withoutNul(text: string): string {
  if (text.includes('\0')) throw new FillRefusal('The program would be given a text with a NUL character.');
  return text;
}

/** An address: values stay in the part of the path or the query in which they stand. */
export function fillAddress(url: string, values: Values): string {
  const [path = '', ...query] = url.split('?');
  const inPath = fillText(path, values, (value) => {
    if (value.split('/').some((part) => part === '..' || part === '.'))
      throw new FillRefusal('A value of the address would lead to another path.');
    return encoded(value).replaceAll('%2F', '/');
  });
  return [inPath, ...query.map((part) => fillText(part, values, encoded))].join('?');
}

/** As it stands in an address; half of a character, which a model may write, cannot. */
const encoded = (value: string): string => encodeURIComponent(value.toWellFormed());

/** What is found at a path such as `items[0].name`; `$` at its beginning is the whole. Own properties only. */
export function atPath(value: Json, path: string): Json {
  const parts = path
    .replace(/^\$\.?/, '')
    .split(/[.[\]]+/)
    .filter((part) => part !== '');
  return parts.reduce<Json>((current, part) => {
    if (Array.isArray(current)) return current[Number(part)] ?? null;
    return isObject(current) && Object.hasOwn(current, part) ? (current[part] ?? null) : null;
  }, value);
}
