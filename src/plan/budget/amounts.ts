/**
 * What a budget is made of. Money is counted in billionths of a dollar, so that sums are exact whatever their order.
 */
export const RESOURCES = ['steps', 'nanousd', 'tokens', 'slots'] as const;
export type Resource = (typeof RESOURCES)[number];

/** Whole numbers of each resource. */
export type Amounts = Record<Resource, number>;
/** Amounts of which null is "not limited". */
export type Limited = Record<Resource, number | null>;

export const NONE: Amounts = { steps: 0, nanousd: 0, tokens: 0, slots: 0 };
export const ENDLESS: Limited = { steps: null, nanousd: null, tokens: null, slots: null };

const NANO = 1e9;

/** Billionths of a dollar, rounded up: what is reserved is never less than what is meant. */
export function toNanoUsd(usd: number): number {
  return Math.ceil(Number((usd * NANO).toPrecision(15)));
}

export function toUsd(nanousd: number): number {
  return nanousd / NANO;
}

/** Amounts made one resource at a time. */
export function amounts(of: (resource: Resource) => number): Amounts {
  return { steps: of('steps'), nanousd: of('nanousd'), tokens: of('tokens'), slots: of('slots') };
}

/** Limited amounts made one resource at a time. */
export function limited(of: (resource: Resource) => number | null): Limited {
  return { steps: of('steps'), nanousd: of('nanousd'), tokens: of('tokens'), slots: of('slots') };
}

export function plus(a: Amounts, b: Amounts): Amounts {
  return amounts((resource) => a[resource] + b[resource]);
}

export function minus(a: Amounts, b: Amounts): Amounts {
  return amounts((resource) => a[resource] - b[resource]);
}

export function sum(list: Amounts[]): Amounts {
  return list.reduce(plus, NONE);
}

export function isNone(a: Amounts): boolean {
  return RESOURCES.every((resource) => a[resource] === 0);
}

/** Amounts of which none is above its limit. */
export function atMost(a: Amounts, limits: Limited): Amounts {
  return amounts((resource) => Math.min(a[resource], limits[resource] ?? Infinity));
}
