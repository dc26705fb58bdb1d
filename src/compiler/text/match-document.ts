import type { Json, JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';

/** What a document, or a map in it, must look like. */
export type Matcher = (value: JsonObject) => boolean;

/** Has one of these keys. */
export function has(...keys: string[]): Matcher {
  return (value) => keys.some((key) => Object.hasOwn(value, key));
}

/** Has no other keys than these. */
export function only(...keys: string[]): Matcher {
  return (value) => Object.keys(value).every((key) => keys.includes(key));
}

/** Matches all of these. */
export function all(...matchers: Matcher[]): Matcher {
  return (value) => matchers.every((matches) => matches(value));
}

/** Matches one of these. */
export function either(...matchers: Matcher[]): Matcher {
  return (value) => matchers.some((matches) => matches(value));
}

/** Does not match this. */
export function not(matches: Matcher): Matcher {
  return (value) => !matches(value);
}

/** Has a map at a key, which matches. */
export function at(key: string, matches: Matcher = () => true): Matcher {
  return ({ [key]: inner }) => isMap(inner) && matches(inner);
}

/** Has a list at a key. */
export function list(key: string): Matcher {
  return ({ [key]: inner }) => Array.isArray(inner);
}

/** Has a list at a key, and a map in it that matches. */
export function item(key: string, matches: Matcher): Matcher {
  return ({ [key]: inner }) => Array.isArray(inner) && inner.some((one) => isMap(one) && matches(one));
}

/** Has a map at a key, and a map in it that matches. */
export function entry(key: string, matches: Matcher): Matcher {
  return at(key, someEntry(matches));
}

/** Has a map at a key that holds texts alone, at least one. */
export function texts(key: string): Matcher {
  return at(key, (inner) => {
    const values = Object.values(inner);
    return values.length > 0 && values.every((value) => typeof value === 'string');
  });
}

/** Has a text at a key, which matches. */
export function text(key: string, pattern = /(?:)/): Matcher {
  return ({ [key]: inner }) => typeof inner === 'string' && pattern.test(inner);
}

/** Holds a map that matches. */
export function someEntry(matches: Matcher): Matcher {
  return (value) => Object.values(value).some((inner) => isMap(inner) && matches(inner));
}

/** Holds maps alone, at least one, which all match. */
export function everyEntry(matches: Matcher): Matcher {
  return (value) => {
    const values = Object.values(value);
    return values.length > 0 && values.every((inner) => isMap(inner) && matches(inner));
  };
}

function isMap(value: Json | undefined): value is JsonObject {
  return value !== undefined && isObject(value);
}
