import { ownOf } from '../values/own.js';
import type { Action } from './action.js';

/**
 * How an MCP server of the config is reached, closed into the Plan (I2). `${env.NAME}` in a value is a secret's name
 * (I13).
 */
export type McpServer =
  | { kind: 'stdio'; argv: string[]; env: Record<string, string>; cwd: string | null; timeout_ms: number }
  | { kind: 'http'; url: string; headers: Record<string, string>; timeout_ms: number };

/** A tool as a server lists it. */
export interface ListedTool {
  name: string;
  description: string;
  /** Canonical JSON of the JSON Schema of its input. */
  inputs: string;
  /** It only reads, as the server says. */
  reads: boolean;
}

/** A name in the letters that providers take. */
export function spelled(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_');
}

/**
 * A call of a server's tool as it is judged: by the name that it has here, which is cut and spelled as providers take
 * it, and by the server's own, as it is and in those letters. Who wrote a pattern knows any of them.
 */
export function callOfRemote({ name, server, remote }: { name: string; server: string; remote: string }): Action {
  const others = [remote, spelled(remote)].map((one) => `${server}__${one}`).filter((one) => one !== name);
  return { kind: 'call', what: 'mcp', name, ...(others.length === 0 ? {} : { also: [...new Set(others)] }) };
}

const REFERENCE = /\$\{env\.([A-Za-z_][A-Za-z0-9_]*)\}/g;
/** Names of values that are secrets wherever they occur. */
const SECRET = /auth|key|token|secret|cookie|password|credential/i;
/** A secret has so many characters or more: shorter texts would be found everywhere. */
export const SECRET_CHARACTERS = 8;

/** Tells whether a value of this name is a secret. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name);
}

/** The secrets that values name: by the name of the value, or of the variable. */
export function secretsIn(values: Record<string, string>, variables: Record<string, string | undefined>): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    variablesIn([value]).flatMap((variable) => {
      const secret = isSecretName(name) || isSecretName(variable) ? (ownOf(variables, variable)?.trim() ?? '') : '';
      return secret.length < SECRET_CHARACTERS ? [] : [secret];
    }),
  );
}

/** The values of a server that may name variables. */
export function valuesOf(server: McpServer): Record<string, string> {
  return server.kind === 'stdio' ? server.env : server.headers;
}

/** The variables that the values of a server name. */
export function variablesOf(server: McpServer): string[] {
  return variablesIn(Object.values(valuesOf(server)));
}

/** The variables that values name. */
export function variablesIn(values: string[]): string[] {
  return [...new Set(values.flatMap((value) => [...value.matchAll(REFERENCE)].map(([, name = '']) => name)))];
}

/** Values with the variables put in; or the first variable that is not set. */
export function filledValues(
  values: Record<string, string>,
  variables: Record<string, string | undefined>,
): { values: Record<string, string> } | { missing: string } {
  const names = Object.values(values).flatMap((value) => [...value.matchAll(REFERENCE)].map(([, name = '']) => name));
  const missing = names.find((name) => !ownOf(variables, name));
  if (missing !== undefined) return { missing };
  return {
    values: Object.fromEntries(
      Object.entries(values).map(([key, value]) => [
        key,
        value.replace(REFERENCE, (_, name: string) => ownOf(variables, name) ?? ''),
      ]),
    ),
  };
}
