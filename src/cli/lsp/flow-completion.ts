import type { CompletionItem } from 'vscode-languageserver/node';
import { CompletionItemKind } from 'vscode-languageserver/node';
import { ROLE_KEYS } from '../../compiler/flow/cast.js';
import type { KnownNames } from './known-names.js';

const FALLBACKS = ['approve', 'skip', 'abort', 'auto-approve'];

/** What may stand at an offset of a flow, below its front matter, which ends at `head`. */
export function completeFlow(text: string, offset: number, head: number, names: KnownNames): CompletionItem[] {
  const body = text.slice(Math.max(head, 0));
  const before = text.slice(Math.max(head, 0), offset);
  const quotes = before.match(/\\.|"/gs)?.filter((piece) => piece === '"').length ?? 0;
  const line = before.slice(before.lastIndexOf('\n') + 1);
  if (quotes % 2 === 1) return completeText(text, body, before, names);
  if (/\(fallback\s*=\s*[\w-]*$/.test(line)) return items(FALLBACKS, CompletionItemKind.EnumMember);
  if (/\(if\s[^)]*$/.test(line)) return items(conditionsIn(body), CompletionItemKind.Variable);
  if (/@[\w-]*$/.test(line)) return items([...labelsIn(body), 'ask-human'], CompletionItemKind.Function);
  if (/\$[\w-]*$/.test(line)) return items(definedIn(body), CompletionItemKind.Class);
  if (/:=\s*\{[^}]*$/s.test(before))
    return ROLE_KEYS.map((label) => ({ label, kind: CompletionItemKind.Property, insertText: `${label}: ` }));
  return [
    ...items(names.agents, CompletionItemKind.Class),
    ...definedIn(body).map((name) => ({ label: `$${name}`, kind: CompletionItemKind.Class })),
  ];
}

/** Inside of quotes: what `{…}` and `{{…}}` may name, and the values of a definition's keys. */
function completeText(text: string, body: string, before: string, names: KnownNames): CompletionItem[] {
  if (/\{\{[ \t]*[\w-]*$/.test(before)) return items(parametersIn(text), CompletionItemKind.Variable);
  if (/(?<!\\)\{\w*$/.test(before))
    return items([...capturesIn(body), ...constantsIn(body)], CompletionItemKind.Variable);
  const [, key] = /\b(base|model|tools)"?\s*:\s*(?:\[[^\]]*)?"[\w:./-]*$/.exec(before) ?? [];
  if (key === 'base') return items(names.agents, CompletionItemKind.Class);
  if (key === 'model') return items(names.models, CompletionItemKind.EnumMember);
  return key === 'tools' ? items(names.tools, CompletionItemKind.Function) : [];
}

function items(labels: string[], kind: CompletionItemKind): CompletionItem[] {
  return [...new Set(labels)].map((label) => ({ label, kind }));
}

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name]) => name ?? '');
}

const capturesIn = (body: string): string[] =>
  namesIn(body, /"[ \t]*:[ \t]*([A-Za-z_]\w*)/g).concat(namesIn(body, /\)[ \t]*:[ \t]*([A-Za-z_]\w*)[ \t]*~>/g));

const constantsIn = (body: string): string[] => namesIn(body, /\$([A-Za-z_][\w-]*)[ \t]*:=[ \t]*"/g);

const conditionsIn = (body: string): string[] => [
  ...capturesIn(body),
  ...namesIn(body, /\(if[ \t]+([^()\n]+)\)/g).map((text) => text.trim()),
];

const labelsIn = (body: string): string[] => namesIn(body, /@([A-Za-z][\w-]*)/g).filter((name) => !KEYWORDS.has(name));

const KEYWORDS = new Set(['ask-human', 'define-agents']);

/** Agents that the flow defines: `$name := {…}`, and those of `@define-agents`. */
function definedIn(body: string): string[] {
  const block = /@define-agents\s*\{([\s\S]*)/.exec(body)?.[1] ?? '';
  return [
    ...namesIn(body, /\$([A-Za-z][\w-]*)[ \t]*:=[ \t]*\{/g),
    ...namesIn(block, /^\s*"?([A-Za-z][\w-]*)"?[ \t]*:[ \t]*\{/gm),
  ];
}

/** Parameters that the front matter declares, and those that are used. */
function parametersIn(text: string): string[] {
  const [, declared = ''] = /^params:[^\n]*\n((?:[ \t]+[^\n]*\n|\s*\n)*)/m.exec(text) ?? [];
  return [
    ...namesIn(declared, /^[ \t]+["']?([A-Za-z_][\w-]*)["']?:/gm),
    ...namesIn(text, /\{\{[ \t]*([A-Za-z_][\w-]*)[ \t]*(?:\}\}|:)/g),
  ];
}
