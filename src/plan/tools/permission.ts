import type { Action, Verdict } from './action.js';
import type { CommandRule } from './command-rule.js';
import { judgeCommand } from './command-rule.js';
import { canonicalJson } from '../values/json.js';
import { matchesPattern } from '../values/wildcard.js';

/** What an agent may do, closed into the Plan: a change of the shipped rules never changes what a run decides (I14). */
export interface Permissions {
  /** Empty where the agent has no shell. */
  commands: CommandRule[];
  /**
   * Whether it reaches the network: not, everywhere that is public, or these hosts (`*.example.org` takes those below).
   */
  network: boolean | string[];
  /** Patterns of actions (`write:docs/*`, `request`, `agent:reviewer`, `command:git push*`), the strongest first. */
  deny: string[];
  ask: string[];
  /** What is allowed beyond what the rules allow. */
  allow: string[];
  /** Paths of the workspace that are not written, with all below them: `/definitions` at its root, `.git` anywhere. */
  protected: string[];
  /** The only paths from the workspace's root that are written, with all below them; absent for no such limit. */
  writable?: string[];
  /** What becomes of an action that a person would be asked about. */
  asking: 'ask' | 'allow' | 'deny';
  /**
   * What a denial comes to: `report` tells the agent in an object (`{error, tool_name, error_type}`), `stop` ends the
   * step; absent: the agent is told in words.
   */
  denial?: 'report' | 'stop';
  /** After so many denials in one step a person is asked. */
  escalate_after: number;
  /** Of what an agent made: what its makers may do. Nothing is allowed that one of them may not do. */
  within?: Permissions[];
}

export type { Verdict } from './action.js';

/** What nobody reads or writes: the state of all runs. */
const PRIVATE = ['.perdure'];

const ALLOW: Verdict = { verdict: 'allow', sandbox: false };

/**
 * Says what becomes of an action. Pure and total: the workflow asks it, and the activity asks it again. What no pattern
 * can lift comes first, then `deny`, then what the rules say: `ask` makes it a question, `allow` lifts a denial.
 */
export function judgeAction(permissions: Permissions, action: Action): Verdict {
  return (permissions.within ?? []).reduce(
    (verdict, bound) => stricter(verdict, judgeAction(bound, action)),
    judgeAlone(permissions, action),
  );
}

/**
 * What is left of permissions where makers bound them: besides what `judgeAction` asks, the hosts and paths that tools
 * look up themselves.
 */
export function boundBy(own: Permissions, makers: Permissions[]): Permissions {
  if (makers.length === 0) return own;
  const network = makers.reduce((hosts, bound) => bothReach(hosts, bound.network), own.network);
  const kept = [...new Set([own, ...makers].flatMap((one) => one.protected))];
  const writable = makers.reduce<string[] | undefined>(
    (paths, bound) => bothWritable(paths, bound.writable),
    own.writable,
  );
  const within = [
    ...(own.within ?? []),
    ...makers.filter((bound) => canonicalJson({ ...bound }) !== canonicalJson({ ...own })),
  ];
  return {
    ...own,
    network,
    protected: kept,
    ...(writable === undefined ? {} : { writable }),
    escalate_after: Math.min(own.escalate_after, ...makers.map((bound) => bound.escalate_after)),
    ...(within.length === 0 ? {} : { within }),
  };
}

/** The paths that both of two limits let through; undefined where there is neither. */
export function bothWritable(one: string[] | undefined, other: string[] | undefined): string[] | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return [...new Set([...one.filter((path) => isInside(path, other)), ...other.filter((path) => isInside(path, one))])];
}

function bothReach(one: Permissions['network'], other: Permissions['network']): Permissions['network'] {
  if (typeof one === 'boolean') return one ? other : false;
  if (typeof other === 'boolean') return other ? one : false;
  return one.filter((host) => other.includes(host) || (!host.startsWith('*.') && allowsHost(other, host)));
}

function stricter(one: Verdict, other: Verdict): Verdict {
  if (one.verdict === 'allow' && other.verdict === 'allow')
    return { verdict: 'allow', sandbox: one.sandbox || other.sandbox };
  if (one.verdict === 'deny' || other.verdict === 'allow') return one;
  return other.verdict === 'deny' || one.verdict === 'allow' ? other : one;
}

function judgeAlone(permissions: Permissions, action: Action): Verdict {
  const never = forbidden(action);
  if (never !== null) return { verdict: 'deny', reason: never };
  const named = subjectOf(action);
  const matching = (patterns: string[], subjects: string[]): string | undefined =>
    patterns.find((pattern) => subjects.some((subject) => matchesPattern(pattern, subject)));
  const meant = meantBy(action);
  const denied = matching(permissions.deny, meant);
  if (denied !== undefined)
    return { verdict: 'deny', reason: `\`${denied}\` stands under \`deny\` of the permissions.` };
  const ruled = byRules(permissions, action);
  const asked = ruled.verdict === 'allow' ? matching(permissions.ask, meant) : undefined;
  if (asked !== undefined) return asking(permissions, action, `\`${asked}\` stands under \`ask\` of the permissions.`);
  if (ruled.verdict === 'allow') return ruled;
  if (matching(permissions.allow, named) !== undefined) return allowed(action);
  return ruled.verdict === 'ask' ? asking(permissions, action, ruled.reason) : ruled;
}

/** Tells whether a host may be reached, whatever its address turns out to be. */
export function allowsHost(network: Permissions['network'], host: string): boolean {
  return typeof network === 'boolean' ? network : network.some((entry) => matchesHost(entry, host.toLowerCase()));
}

/** The host and the port that a request to this address reaches, as `allowsHost` takes them; null for no plain one. */
export function reachedAt(url: string): string | null {
  const host = hostOf(url);
  return host === null || NAMES_PORT.test(host) ? host : `${host}:${url.startsWith('https:') ? 443 : 80}`;
}

/** An entry of `network` is of this port alone. */
export const NAMES_PORT = /:\d+$/;

/** An entry is a host, with its port where only that is meant; `*.` before it takes all hosts below. */
function matchesHost(entry: string, host: string): boolean {
  const written = entry.toLowerCase();
  const asked = NAMES_PORT.test(written) ? host : host.replace(NAMES_PORT, '');
  return written.startsWith('*.')
    ? asked.endsWith(written.slice(1)) && asked.length > written.length - 1
    : asked === written;
}

function asking(permissions: Permissions, action: Action, reason: string): Verdict {
  return permissions.asking === 'allow' ? allowed(action) : askedBeyond(permissions, reason);
}

/** What becomes of a question beyond those that the permissions know: a person is asked, or it is a denial. */
export function askedBeyond({ asking }: Pick<Permissions, 'asking'>, reason: string): Verdict {
  return asking === 'deny'
    ? { verdict: 'deny', reason: `${reason} Nobody is asked in this run.` }
    : { verdict: 'ask', reason };
}

function allowed(action: Action): Verdict {
  return { verdict: 'allow', sandbox: action.kind === 'command' };
}

/** Why nothing can allow an action. */
function forbidden(action: Action): string | null {
  switch (action.kind) {
    case 'read':
    case 'write':
      return forbiddenPath(action.path);
    case 'command':
      if (action.argv.some((word) => word.includes('\0'))) return 'An argument has a NUL character.';
      return action.argv.length === 0 || action.argv[0] === '' ? 'There is no program.' : forbiddenPath(action.cwd);
    case 'request':
      return hostOf(action.url) === null ? 'Expected an http or https address with a plain host.' : null;
    case 'call':
      return (
        ('files' in action ? (action.files ?? []) : []).map(forbiddenPath).find((reason) => reason !== null) ?? null
      );
    case 'make':
    case 'none':
      return null;
  }
}

function forbiddenPath(path: string): string | null {
  if (path.includes('\0')) return 'The path has a NUL character.';
  if (path.startsWith('/') || partsOf(path).includes('..')) return `\`${path}\` is outside of the workspace.`;
  return isBelow(path, PRIVATE) ? `\`${path}\` is the state of Perdure itself.` : null;
}

function byRules(permissions: Permissions, action: Action): Verdict {
  switch (action.kind) {
    case 'read':
    case 'call':
    case 'none':
      return ALLOW;
    case 'write':
      return judgeWrite(permissions, action.path);
    case 'command':
      return judgeCommand(permissions, action.argv);
    case 'request': {
      const host = hostOf(action.url) ?? '';
      return allowsHost(permissions.network, reachedAt(action.url) ?? '')
        ? ALLOW
        : {
            verdict: 'deny',
            reason: `The network is closed to this agent: \`${host}\` is not under \`network\` of its permissions.`,
          };
    }
    case 'make':
      return { verdict: 'ask', reason: `It makes the ${action.what} \`${action.name}\`.` };
  }
}

function judgeWrite({ protected: kept, writable }: Permissions, path: string): Verdict {
  if (isBelow(path, kept)) return { verdict: 'deny', reason: `\`${path}\` is protected by the permissions.` };
  if (writable === undefined || isInside(path, writable)) return ALLOW;
  const listed = writable.map((one) => `\`${one}\``).join(', ');
  const named = listed === '' ? ', which names nothing' : ` (${listed})`;
  return {
    verdict: 'deny',
    reason: `\`${path}\` is not under \`writable\` of the permissions${named}.`,
  };
}

/** Host and port of an address as `URL` writes it; null for what is no plain one. */
function hostOf(url: string): string | null {
  return (
    /^https?:\/\/([A-Za-z0-9._-]+(?::\d{1,5})?|\[[0-9a-f:.]+\](?::\d{1,5})?)(?:[/?#]|$)/
      .exec(url)?.[1]
      ?.toLowerCase() ?? null
  );
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

/**
 * Tells whether a path is one of these, or below one: those with `/` before them from the root, others anywhere. Case
 * does not count: there are file systems that do not tell it apart.
 */
export function isBelow(path: string, roots: string[]): boolean {
  const parts = partsOf(path.toLowerCase());
  return roots.some((root) => {
    const wanted = partsOf(root.toLowerCase());
    const starts = root.startsWith('/') ? [0] : parts.map((_, index) => index);
    return starts.some((start) => wanted.every((part, index) => parts[start + index] === part));
  });
}

/** Tells whether a path is one of these from the root, or below one. Case counts: another spelling is another file. */
function isInside(path: string, roots: string[]): boolean {
  const parts = partsOf(path);
  return roots.some((root) => partsOf(root).every((part, index) => parts[index] === part));
}

/** What patterns are held against: the kind alone, and the kind with what it is about. */
export function subjectOf(action: Action): string[] {
  switch (action.kind) {
    case 'read':
    case 'write':
      return [action.kind, `${action.kind}:${partsOf(action.path).join('/')}`];
    case 'command':
      return ['command', `command:${action.argv.join(' ')}`];
    case 'request':
      return ['request', `request:${action.method} ${action.url}`];
    case 'make':
      return ['make', `make:${action.what}`, `make:${action.what}:${action.name}`];
    case 'call':
      if (isAgentCall(action)) return subjectOfAgent(action);
      return [action.what, ...namesOf(action).map((name) => `${action.what}:${name}`)];
    case 'none':
      return [];
  }
}

/** The same, with what a server may take a request for: by these names an action is denied, or asked about. */
export function meantBy(action: Action): string[] {
  return [...subjectOf(action), ...takenFor(action)];
}

/** Escapes of escapes: no server undoes more. */
const MOST_ESCAPES = 3;

/**
 * What servers may take the path of a request for: without escapes, empty parts, parameters of its parts and ways up.
 * What is denied, or asked about, is so under these names as well; nothing is allowed by them.
 */
function takenFor(action: Action): string[] {
  const [, origin, written = '', rest = ''] =
    (action.kind === 'request' ? /^([a-z]+:\/\/[^/?#]+)([^?#]*)(.*)$/s.exec(action.url) : null) ?? [];
  if (action.kind !== 'request' || origin === undefined) return [];
  const paths = [written];
  for (let times = 0; times < MOST_ESCAPES; times += 1) paths.push(withoutEscapes(paths.at(-1) ?? ''));
  const plain = paths.map((path) => `/${stepsOf(path).join('/')}${/[/\\]$/.test(path) ? '/' : ''}`.replace('//', '/'));
  return [...new Set([...paths, ...plain])].map((path) => `request:${action.method} ${origin}${path}${rest}`);
}

function withoutEscapes(path: string): string {
  return path.replace(/%([0-7][0-9A-Fa-f])/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

/** The parts of a path that are left once it is walked. */
function stepsOf(path: string): string[] {
  const steps: string[] = [];
  for (const part of path.split(/[/\\]/)) {
    const step = part.replace(/;.*/s, '');
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps;
}

/** A server's tool goes by its names here and there, also as Claude Code writes them. */
function namesOf({ what, name, also = [] }: Exclude<Extract<Action, { kind: 'call' }>, AgentCall>): string[] {
  const names = [name, ...also];
  return what === 'mcp' ? [...names, ...names.map((one) => `mcp__${one}`)] : names;
}

type AgentCall = Extract<Action, { kind: 'call'; what: 'agent' | 'made' }>;

/** Tells whether an action calls an agent, be it one of the Plan or one that was made in the run. */
export function isAgentCall(action: Action): action is AgentCall {
  return action.kind === 'call' && (action.what === 'agent' || action.what === 'made');
}

/**
 * A made agent is an agent, and can be told apart: `made`; calls that hand on files as well: `attachments`, and
 * `attachments:made/…` where both is so.
 */
function subjectOfAgent({ what, name, files = [] }: AgentCall): string[] {
  const isMade = what === 'made';
  return [
    ...['agent', `agent:${name}`],
    ...(isMade ? ['made', `made:${name}`] : []),
    ...(files.length > 0 ? ['attachments', `attachments:${name}`] : []),
    ...(files.length > 0 && isMade ? [`attachments:made/${name}`] : []),
  ];
}
