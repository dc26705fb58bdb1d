import type { InputSpec } from '../../plan/step.js';
import type { Parameter } from '../formats/flow/params.js';
import type { Texts } from '../hash.js';
import { keepText } from '../hash.js';
import { nearest, meansPerhaps } from '../problems/did-you-mean.js';
import type { Place, Report } from '../problems/problem.js';
import type { Late } from './frame.js';
import { firstOf, grow, literal } from './frame.js';

/** What a run is asked for in words: it is shown to every agent of a flow that does not place it itself. */
export const REQUEST = 'request';
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/** The inputs of a flow: its parameters, and the request. */
export interface FlowInputs {
  /** Whether `{name}` may mean a parameter. */
  declares: (name: string) => boolean;
  /** The value of a parameter, with the default that is written where it is used. */
  parameter: (name: string, fallback: string | null, at: Place) => Late;
  /** The request, where the flow places it. */
  request: () => Late;
  /** Whether every agent is shown the request. */
  showsRequest: () => boolean;
  /** All that the flow may be given. Declared parameters that nobody uses are warned of. */
  specs: () => Record<string, InputSpec>;
}

/** Collects what a flow may be given while its texts are read. `params` null is a flow that declares nothing. */
export function createInputs(params: Map<string, Parameter> | null, texts: Texts, report: Report): FlowInputs {
  const used = new Map<string, { fallback: string | null; at: Place }>();
  let placed = false;

  const read =
    (name: string): Late =>
    (from) => {
      grow(from.size);
      return { kind: 'reference', root: `input:${name}`, path: [], source: name };
    };

  const meant = new Set<string>();
  const near = (name: string): string | null => {
    const declared = nearest(name, params?.keys() ?? []);
    if (declared !== null) meant.add(declared);
    return declared === null ? null : meansPerhaps(declared);
  };

  const parameter = (name: string, fallback: string | null, at: Place): Late => {
    if (FORBIDDEN.has(name))
      report({ code: 'invalid-name', at, message: `Expected the name of a parameter, got \`${name}\`.` });
    const declared = params?.get(name);
    if (params !== null && declared === undefined) {
      report({
        code: 'near-input',
        severity: 'warning',
        at,
        message: `The front matter declares no parameter \`${name}\`.`,
        suggestion: near(name) ?? 'add it under `params:`',
      });
    }
    const before = used.get(name);
    if (before !== undefined && fallback !== null && before.fallback !== null && before.fallback !== fallback) {
      report({
        code: 'conflicting-keys',
        at,
        message: `The parameter \`${name}\` has the default \`${before.fallback.slice(0, 40)}\` elsewhere.`,
        suggestion: 'give it one default, or put it into the front matter',
      });
    }
    used.set(name, { fallback: before?.fallback ?? fallback, at: before?.at ?? at });
    return fallback === null ? read(name) : firstOf([read(name), literal(fallback)]);
  };

  const specOf = (name: string, { fallback }: { fallback: string | null }): InputSpec => {
    const declared = params?.get(name);
    const preset = declared?.default ?? fallback;
    const said = declared?.description ?? null;
    const description = said === null ? null : keepText(said, texts);
    return preset === null
      ? { type: 'string', required: declared?.required ?? true, description }
      : { type: 'string', required: false, description, default: preset };
  };

  const specs = (): Record<string, InputSpec> => {
    for (const [name, { at }] of params ?? []) {
      if (!used.has(name) && !meant.has(name))
        report({
          code: 'unused-input',
          severity: 'warning',
          at,
          message: `Nothing in the flow uses the parameter \`${name}\`.`,
          suggestion: `write \`{{${name}}}\` in an instruction`,
        });
    }
    const entries = [...used].map(([name, use]): [string, InputSpec] => [name, specOf(name, use)]);
    const declared = [...(params ?? [])]
      .filter(([name]) => !used.has(name))
      .map(([name, { default: preset }]): [string, InputSpec] => [name, specOf(name, { fallback: preset })]);
    const request: [string, InputSpec][] = used.has(REQUEST)
      ? []
      : [[REQUEST, { type: 'string', required: placed, description: 'What is asked for: the words after the file.' }]];
    return Object.fromEntries([
      ...entries,
      ...declared.map(([name, spec]): [string, InputSpec] => [name, { ...spec, required: false }]),
      ...request,
    ]);
  };

  return {
    declares: (name) => params?.has(name) ?? false,
    parameter,
    request: () => {
      placed = true;
      return read(REQUEST);
    },
    showsRequest: () => !placed && !used.has(REQUEST),
    specs,
  };
}
