import type { CompileOptions } from '../compiler/compile.js';
import { McpRefusal } from './errors.js';

export type MadeKind = 'agent' | 'workflow' | 'tool';

/** A definition that the client made. It is a text only: no file is written until a person promotes it. */
export interface MadeDefinition {
  kind: MadeKind;
  name: string;
  description: string | null;
  /** Where its file would be; absolute. */
  file: string;
  text: string;
}

/** What a client made in this connection, by kind and name. */
export interface Made {
  all(kind: MadeKind): MadeDefinition[];
  find(kind: MadeKind, name: string): MadeDefinition | undefined;
  /**
   * Adds one if `check` lets it pass with all the others. Until then only `check` knows it: nothing finds, compiles or
   * runs what is refused in the end. One is checked after the other.
   */
  add(definition: MadeDefinition, check: (withIt: ForCompiler) => Promise<void>): Promise<void>;
  /** Those that a compile has read, and that a person has to approve. */
  reached(files: string[]): MadeDefinition[];
  /** As the compiler takes them. */
  forCompiler(): ForCompiler;
}

/** Texts of what was made, and which of them are agents and tools. */
type ForCompiler = NonNullable<CompileOptions['made']>;

/** More is a client that has lost its way. */
const MOST_MADE = 100;

/** Nothing made yet. */
export function createMade(): Made {
  const definitions = new Map<string, MadeDefinition>();
  let checked: Promise<unknown> = Promise.resolve();
  const keyOf = ({ kind, name }: Pick<MadeDefinition, 'kind' | 'name'>): string => `${kind} ${name.toLowerCase()}`;

  async function addNow(definition: MadeDefinition, check: (withIt: ForCompiler) => Promise<void>): Promise<void> {
    const key = keyOf(definition);
    if (definitions.has(key))
      throw new McpRefusal(
        `This connection has made the ${definition.kind} \`${definition.name}\` already; choose another name.`,
      );
    if (definitions.size >= MOST_MADE)
      throw new McpRefusal(`This connection has made ${MOST_MADE} definitions already, which is all that it may.`);
    await check(forCompiler([...definitions.values(), definition]));
    definitions.set(key, definition);
  }

  return {
    all: (kind) => [...definitions.values()].filter((one) => one.kind === kind),
    find: (kind, name) => [...definitions.values()].find((one) => one.kind === kind && one.name === name),
    add(definition, check) {
      const added = checked.then(() => addNow(definition, check));
      checked = added.catch(() => undefined); // Whoever adds it is told.
      return added;
    },
    reached: (files) => [...definitions.values()].filter(({ file }) => files.includes(file)),
    forCompiler: () => forCompiler([...definitions.values()]),
  };
}

function forCompiler(definitions: MadeDefinition[]): ForCompiler {
  const filesOf = (kind: MadeKind): string[] => definitions.flatMap((one) => (one.kind === kind ? [one.file] : []));
  return {
    texts: new Map(definitions.map(({ file, text }) => [file, text])),
    agents: filesOf('agent'),
    tools: filesOf('tool'),
  };
}
