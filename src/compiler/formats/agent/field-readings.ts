import type { Json } from '../../../plan/values/json.js';
import { isObject } from '../../../plan/values/json.js';
import { EFFORTS } from '../../../plan/names.js';
import { NAME } from '../../../plan/names.js';
import type { Reading } from './agent-dialect.js';

/** Tools that change something, in Claude Code's words. */
const CHANGING = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'Bash'];

/** A text as Claude Code writes descriptions: in one line, with `\n` where a line ends. */
export function withLineEnds(value: Json): Json {
  return typeof value === 'string' ? value.replaceAll('\\n', '\n') : value;
}

/** A number that is written as a text. */
export function asNumber(value: Json): Json {
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
}

/** How much it thinks; Codex has two words below the least of ours. */
export function readEffort(value: Json): Reading {
  const word = String(value).toLowerCase();
  const effort = EFFORTS.find((one) => one === word);
  if (effort !== undefined) return { fields: { effort } };
  const least = word === 'minimal' || word === 'none';
  return {
    ...(least ? { fields: { effort: 'low' } } : {}),
    lost: {
      lost: least ? `\`${word}\` is \`low\` here, which is the least` : `no effort that is known: \`${word}\``,
      changes: true,
      fix: `write \`effort:\` with one of ${EFFORTS.join(', ')}`,
    },
  };
}

/** How Claude Code asks for leave. It never gives an agent more than the permissions of the project. */
export function readPermissionMode(value: Json): Reading {
  switch (value) {
    case 'default':
    case 'acceptEdits':
      // Edits in the workspace need no leave here, unless the permissions say so.
      return {};
    case 'plan':
      return { fields: { disallowed_tools: CHANGING } };
    case 'dontAsk':
      return { fields: { permissions: { asking: 'deny' } } };
    default:
      return {
        lost: {
          lost: `\`${String(value)}\` is no more than the project's permissions: what they deny or ask about stays so`,
          changes: true,
          fix: 'write what it may do beyond them under `permissions:`, such as `allow: ["command:git push*"]`',
        },
      };
  }
}

/** What Codex' sandbox lets it do, as the tools that need it. */
export function readSandboxMode(value: Json): Reading {
  if (value === 'read-only') return {};
  const lost = {
    lost: `\`${String(value)}\` is no more than writing in the workspace`,
    changes: true,
    fix: 'write what it may do beyond that under `permissions:`',
  };
  return {
    fields: { tools: ['write_file', 'edit_file', 'shell'] },
    ...(value === 'workspace-write' ? {} : { lost }),
  };
}

/** Names of an agent's own servers: listed, as keys, or as the keys of listed maps. */
export function readServers(value: Json): Reading {
  const listed = Array.isArray(value) ? value : isObject(value) ? [value] : String(value).split(',');
  const names = listed.flatMap((item) => (isObject(item) ? Object.keys(item) : [String(item).trim()]));
  return readNames('mcp', names, 'an MCP server');
}

/** Tools by name. People also list them with a word about each, which a map is: `- Grep: for patterns`. */
export function readTools(value: Json): Reading {
  if (!Array.isArray(value) || !value.some(isObject)) return { fields: { tools: value } };
  const tools = value.map((item) => (isObject(item) ? (onlyKey(item) ?? item) : item));
  const about = value.flatMap((item) => (isObject(item) ? (onlyKey(item) ?? []) : []));
  return {
    fields: { tools },
    losses: about.map((name) => ({
      field: `tools.${name}`,
      lost: `\`${name}\` is a tool, and what stands after it is told to nobody`,
      changes: false,
      fix: 'write into the prompt what it is for',
    })),
  };
}

/** The key of a map that says one text; null for any other map. */
function onlyKey(map: Record<string, Json>): string | null {
  const [[key, said] = ['', null], ...others] = Object.entries(map);
  return others.length === 0 && typeof said === 'string' ? key : null;
}

/** Names of skills, listed or with commas between. */
export function readSkills(value: Json): Reading {
  const listed = Array.isArray(value) ? value.map(String) : String(value).split(',');
  return readNames(
    'skills',
    listed.map((name) => name.trim()),
    'a skill',
  );
}

/** Those that can be names here; the others, of plug-ins say, are lost. */
function readNames(field: string, names: string[], what: string): Reading {
  const all = [...new Set(names)].filter((name) => name !== '');
  const lost = all.filter((name) => !NAME.test(name));
  const kept = all.filter((name) => NAME.test(name));
  return {
    ...(kept.length === 0 ? {} : { fields: { [field]: kept } }),
    ...(lost.length === 0
      ? {}
      : {
          lost: {
            lost: `no name of ${what} here: ${lost.map((name) => `\`${name}\``).join(', ')}`,
            changes: true,
            fix: `give it a name of letters, digits, \`-\` and \`_\``,
          },
        }),
  };
}

/** Where it works: in a work tree of its own, or beside all others. */
export function readIsolation(value: Json): Reading {
  if (value === 'worktree') return { fields: { isolation: 'worktree' } };
  return { lost: { lost: `no isolation that is known: \`${String(value)}\``, changes: true, fix: null } };
}
