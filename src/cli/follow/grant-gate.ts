import type { Client } from '@temporalio/client';
import type { Granted } from '../../activities/gates/grant.js';
import { GRANTED, grantLink, grantable, issueGrant } from '../../activities/gates/grant.js';
import { duration, millisecondsOf } from '../../compiler/formats/values.js';
import type { Gate } from '../../plan/gates/gate.js';
import { personRefusal } from '../../plan/gates/gate.js';
import type { ApprovalKey } from '../../store/records/approval-key.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, refusal, usageError } from '../exit-codes.js';
import { findRun } from '../observe/find-run.js';
import type { OpenGate } from '../observe/view/view.js';
import { rootOf } from '../observe/view/view.js';
import { openExisting, unknownRun } from '../session.js';
import { gateHash } from '../text/format.js';
import { safeLine, safeName } from '../text/safe-text.js';
import type { Terminal } from '../terminal.js';
import { actingName, print, printJson, tell } from '../terminal.js';
import { gateAt } from './decide-gate.js';
import { typedCommand } from '../text/own-name.js';

const USUAL_MS = 7 * 24 * 3_600_000;

/** What `grant` was told. */
export interface GrantCommand {
  address: string;
  to: string | null;
  /** Separated by commas. */
  decisions: string | null;
  expires: string | null;
  publicUrl: string | null;
  json: boolean;
}

/** Prints a token by which somebody decides a gate, and the link where its page is. Nothing is decided. */
export async function grantGate(command: GrantCommand, terminal: Terminal): Promise<ExitCode> {
  const ms = command.expires === null ? USUAL_MS : lastsFor(command.expires);
  const run = rootOf(command.address);
  const typedUrl = command.publicUrl === null ? null : originAt(command.publicUrl);
  const session = await openExisting(terminal, { taskQueue: null });
  if (session === null) throw unknownRun(run);
  const publicUrl = typedUrl ?? session.config.ui?.public_url ?? null;
  const { view, link } = await findRun(run, session);
  if (link === null) throw refusal(`The run \`${run}\` has ended: ${view.status}.`);
  try {
    const open = gateAt(view, command.address);
    const { gate, address } = open;
    const to = personFor(gate, command.to);
    const may = wordsFor(gate, command.decisions);
    const expires = Date.now() + ms;
    const token = await grantFor(link.client, open, { to, may, exp: expires }, session.store);
    const url = publicUrl === null ? null : grantLink(publicUrl, token);
    const until = new Date(expires).toISOString();
    if (command.json) {
      printJson(terminal, { run, gate: address, hash: gate.hash, to, may, expires: until, token, link: url });
      return EXIT.success;
    }
    tell(
      terminal,
      `  ${safeLine(gate.message)}`,
      `  ${safeName(to)} may ${may.join(', ')} ${safeLine(address)} (${gateHash(gate.hash)}) once, until ${until}.`,
      `  Whoever has this decides as ${safeName(to)}. In a terminal: ${commandFor(may, address)}`,
    );
    if (url === null)
      tell(
        terminal,
        '  There is no link: perdure.yml has no `ui: {public_url}`, which says where `perdure ui` is reached.',
      );
    print(terminal, ...(url === null ? [] : [url]), token);
    return EXIT.success;
  } finally {
    await link.close();
  }
}

function commandFor([first = 'approve']: Granted[], address: string): string {
  const flags = '--token TOKEN';
  return first === 'answer'
    ? typedCommand('perdure answer', [safeLine(address), 'TEXT'], flags)
    : typedCommand(`perdure ${first}`, [], flags);
}

/** A token by which a person may decide a gate as it is open now, until a time in epoch milliseconds. */
export async function grantFor(
  client: Client,
  { gate, owner }: OpenGate,
  said: { to: string; may: Granted[]; exp: number },
  key: ApprovalKey,
): Promise<string> {
  const { raw } = await client.workflow.getHandle(owner).describe();
  const first = raw.workflowExecutionInfo?.firstRunId ?? '';
  return issueGrant({ run: owner, first, gate: gate.path, since: gate.since, hash: gate.hash, ...said }, key);
}

function personFor(gate: Gate, named: string | null): string {
  const [only, ...others] = gate.approvers ?? [];
  const to = named ?? (only !== undefined && others.length === 0 ? only : actingName(null));
  const refused = personRefusal(to, gate);
  if (refused !== null) throw refusal(refused, 'Name somebody who may: `--to NAME`.');
  return to;
}

function wordsFor(gate: Gate, list: string | null): Granted[] {
  const { usual, all } = grantable(gate);
  if (list === null) return usual;
  const words = list.split(',').map((word) => word.trim());
  return words.map((word) => {
    const found = GRANTED.find((one) => one === word && all.includes(one));
    if (found !== undefined) return found;
    throw usageError(`Expected \`--decisions\` to name what this gate takes, ${all.join(', ')}, got \`${word}\`.`);
  });
}

function lastsFor(text: string): number {
  const checked = duration.safeParse(text);
  if (checked.success) return millisecondsOf(checked.data);
  const [issue] = checked.error.issues;
  throw usageError(`Expected \`--expires\` to be ${issue?.message ?? 'a duration'}, got \`${text}\`.`);
}

/** Where the page is: a link below anything else leads nowhere. */
function originAt(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href) return url.origin;
  throw usageError(`Expected \`--public-url\` to be \`https://<host>\`, without a path, got \`${text}\`.`);
}
