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
  /** Adds one if `check` lets it pass with all the others; else it is as if it had never been. */
  add(definition: MadeDefinition, check: () => Promise<void>): Promise<void>;
  /** Those that a compile has read, and that a person has to approve. */
  reached(files: string[]): MadeDefinition[];
  /** As the compiler takes them. */
  forCompiler(): NonNullable<CompileOptions['made']>;
}

/** More is a client that has lost its way. */
const MOST_MADE = 100;

/** Nothing made yet. */
export function createMade(): Made {
  const definitions = new Map<string, MadeDefinition>();
  const keyOf = ({ kind, name }: Pick<MadeDefinition, 'kind' | 'name'>): string => `${kind} ${name.toLowerCase()}`;
  const filesOf = (kind: MadeKind): string[] =>
    [...definitions.values()].flatMap((one) => (one.kind === kind ? [one.file] : []));
  return {
    all: (kind) => [...definitions.values()].filter((one) => one.kind === kind),
    find: (kind, name) => [...definitions.values()].find((one) => one.kind === kind && one.name === name),
    async add(definition, check) {
      const key = keyOf(definition);
      if (definitions.has(key))
        throw new McpRefusal(
          `This connection has made the ${definition.kind} \`${definition.name}\` already; choose another name.`,
        );
      if (definitions.size >= MOST_MADE)
        throw new McpRefusal(`This connection has made ${MOST_MADE} definitions already, which is all that it may.`);
      definitions.set(key, definition);
      try {
        await check();
      } catch (error) {
        definitions.delete(key);
        throw error;
      }
    },
    reached: (files) => [...definitions.values()].filter(({ file }) => files.includes(file)),
    forCompiler: () => ({
      texts: new Map([...definitions.values()].map(({ file, text }) => [file, text])),
      agents: filesOf('agent'),
      tools: filesOf('tool'),
    }),
  };
}
