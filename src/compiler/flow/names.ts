import type { Json, JsonObject } from '../../plan/values/json.js';
import type { AgentCall, Ask, Mark } from '../formats/flow/ast.js';
import type { Frame, Handle, Late } from './frame.js';
import { firstOf, refer, referLast } from './frame.js';

/** A step that may capture what it yields. */
export type CapturingStep = AgentCall | Ask | Mark;

/** Where a variable's value comes from. */
export type Producer =
  | { kind: 'step'; handle: Handle }
  /** A step that comes later in its loop: what it yielded in the round before. */
  | { kind: 'last'; step: CapturingStep; loop: Frame }
  /** The value of a condition. */
  | { kind: 'flag'; value: Late };

/** The variables that are captured at one point of a flow; each branch adds to a layer of its own. */
export interface Names {
  outer: Names | null;
  own: Map<string, Producer[]>;
}

export function innerNames(outer: Names): Names {
  return { outer, own: new Map() };
}

/** The producers of a variable, the one that counts first; null when nothing captures it. */
export function producersOf(names: Names, name: string): Producer[] | null {
  for (let layer: Names | null = names; layer !== null; layer = layer.outer) {
    const producers = layer.own.get(name);
    if (producers !== undefined) return producers;
  }
  return null;
}

/** Every name there is, the inner ones first. */
export function knownNames(names: Names): string[] {
  const known = new Set<string>();
  for (let layer: Names | null = names; layer !== null; layer = layer.outer)
    for (const name of layer.own.keys()) known.add(name);
  return [...known];
}

/** What a branch captured, which may not have run: what was there before counts where it did not. */
export function mergeBranch(names: Names, branch: Names): void {
  for (const [name, producers] of branch.own) names.own.set(name, [...producers, ...(producersOf(names, name) ?? [])]);
}

/** What a region captured that has run in any case. */
export function mergeSure(names: Names, region: Names): void {
  for (const [name, producers] of region.own)
    names.own.set(
      name,
      producers.filter(({ kind }) => kind !== 'last'),
    );
}

/** What is read of an output beyond its text: it is then asked for as JSON of this form. */
export interface Reading {
  path: (string | number)[];
  type: 'number' | null;
}

/** Steps by the piece of the flow that they come from, and how their outputs are read. */
export interface Ledger {
  handles: Map<CapturingStep, Handle>;
  readings: Map<Handle, Reading[]>;
  /** Readings of steps that come later in the text. */
  ahead: { step: CapturingStep; reading: Reading }[];
  /** The step whose output each gate shows: what is read of the gate is read of it. */
  shown: Map<Handle, Handle>;
}

export function createLedger(): Ledger {
  return { handles: new Map(), readings: new Map(), ahead: [], shown: new Map() };
}

/** The value of a variable, or of a part of it. What is read of it is taken down. */
export function valueOf(producers: Producer[], reading: Reading, ledger: Ledger): Late {
  const { path } = reading;
  const values = producers.map((producer): Late => {
    switch (producer.kind) {
      case 'flag':
        return producer.value;
      case 'step':
        takeDown(producer.handle, reading, ledger);
        return refer(producer.handle, 'output', path);
      case 'last':
        ledger.ahead.push({ step: producer.step, reading });
        return (from) => {
          const handle = ledger.handles.get(producer.step);
          // A step with problems has no handle; they are reported.
          if (handle === undefined) return { kind: 'literal', value: null };
          return referLast(handle, producer.loop, path)(from);
        };
    }
  });
  return firstOf(values);
}

/** Takes down what was read of steps before they were known. */
export function settleReadings(ledger: Ledger): void {
  for (const { step, reading } of ledger.ahead) {
    const handle = ledger.handles.get(step);
    if (handle !== undefined) takeDown(handle, reading, ledger);
  }
}

function takeDown(handle: Handle, reading: Reading, { readings, shown }: Ledger): void {
  if (reading.path.length === 0 && reading.type === null) return;
  const source = shown.get(handle) ?? handle;
  readings.set(source, [...(readings.get(source) ?? []), reading]);
}

/** The JSON Schema of an output of which such parts are read; null when it is read as text alone. */
export function schemaOf(readings: Reading[]): Json {
  return readings.length === 0 ? null : schemaAt(readings);
}

function schemaAt(readings: Reading[]): JsonObject {
  const heads = new Map<string | number, Reading[]>();
  for (const { path, type } of readings) {
    const [head, ...rest] = path;
    if (head !== undefined) heads.set(head, [...(heads.get(head) ?? []), { path: rest, type }]);
  }
  const fields = [...heads].filter((entry): entry is [string, Reading[]] => typeof entry[0] === 'string');
  const positions = [...heads].filter((entry): entry is [number, Reading[]] => typeof entry[0] === 'number');
  // Read both as a list and as an object: it may be anything.
  if (fields.length > 0 && positions.length > 0) return {};
  if (fields.length > 0) {
    return {
      type: 'object',
      properties: Object.fromEntries(fields.map(([name, below]) => [name, schemaAt(below)])),
      required: fields.map(([name]) => name),
    };
  }
  if (positions.length > 0)
    return {
      type: 'array',
      items: schemaAt(positions.flatMap(([, below]) => below)),
      minItems: Math.max(...positions.map(([index]) => index)) + 1,
    };
  return readings.some(({ type }) => type === 'number') ? { type: 'number' } : {};
}
