import { resolve } from 'node:path';
import type { Receipt } from '../../activities/gates/receipt.js';
import { isGenuine, keyName, receiptsIn, statementIn } from '../../activities/gates/receipt.js';
import type { Store } from '../../store/store.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, refusal, usageError } from '../exit-codes.js';
import { findRun } from '../observe/find-run.js';
import type { RunView } from '../observe/view/view.js';
import { pathBelow, rootOf } from '../observe/view/view.js';
import type { Session } from '../session.js';
import { openExisting, openSession, unknownRun } from '../session.js';
import { plural } from '../text/format.js';
import type { Terminal } from '../terminal.js';
import { printJson, printResult, tell } from '../terminal.js';
import { writeOver } from '../write-whole.js';

/** What `receipt` was told. */
export interface ReceiptCommand {
  address: string;
  /** Where they are written; null for standard output. */
  file: string | null;
  json: boolean;
}

/** Prints the receipts of a run, or of one gate in it: for each its statement and its signature, a line each. */
export async function printReceipts({ address, file, json }: ReceiptCommand, terminal: Terminal): Promise<ExitCode> {
  if (address === '') throw usageError('Expected `<address>`, or `--public-key`, got nothing.');
  const session = await openExisting(terminal, { taskQueue: null });
  if (session === null) throw unknownRun(rootOf(address));
  const receipts = await receiptsAt(address, session);
  await warnOfOthers(receipts, session, terminal);
  const text = json ? '' : receiptText(receipts);
  if (file !== null) {
    const shown = json ? `${JSON.stringify(documents(receipts), null, 2)}\n` : text;
    writeOver(resolve(terminal.cwd, file), shown);
    tell(terminal, `Wrote ${plural(receipts.length, 'receipt')} to ${file}.`);
  } else if (json) printJson(terminal, documents(receipts));
  else printResult(terminal, text);
  return EXIT.success;
}

/** Prints the public half of the key that signs receipts. */
export async function printPublicKey(address: string, json: boolean, terminal: Terminal): Promise<ExitCode> {
  if (address !== '') throw usageError(`Expected nothing beside \`--public-key\`, got \`${address}\`.`);
  const { store } = await openSession(terminal, { taskQueue: null });
  const pem = await store.publicKey();
  if (json) printJson(terminal, { public_key: pem, key: keyName(pem) });
  else printResult(terminal, pem);
  return EXIT.success;
}

/** The receipts as a file: for each two lines, what was signed and the signature. */
export function receiptText(receipts: Receipt[]): string {
  return receipts.map(({ statement, signature }) => `${statement}\n${signature}\n`).join('');
}

/** All receipts of a tree, in the order of the decisions. `view` is of its root. */
export async function receiptsOf({ journal }: RunView, store: Pick<Store, 'listJournal'>): Promise<Receipt[]> {
  return journal === undefined ? [] : receiptsIn(store, journal);
}

async function receiptsAt(address: string, session: Session): Promise<Receipt[]> {
  const { view, link } = await findRun(rootOf(address), session);
  await link?.close();
  const all = await receiptsOf(view, session.store);
  const path = pathBelow(address);
  const meant = all.filter((one) => {
    const { gate } = statementIn(one);
    return path === '' || gate === address || gate.startsWith(`${address}/`);
  });
  if (meant.length > 0) return meant;
  throw refusal(
    `There is no receipt of a decision at \`${address}\`.`,
    all.length === 0
      ? 'A run has one for each gate that people have decided.'
      : `There are:\n${all.map((one) => `  ${statementIn(one).gate}`).join('\n')}`,
  );
}

/** What an earlier key has signed is verified with that one's public half. */
async function warnOfOthers(receipts: Receipt[], { store }: Session, terminal: Terminal): Promise<void> {
  const genuine = await Promise.all(receipts.map((one) => isGenuine(one, store)));
  const others = genuine.filter((is) => !is).length;
  if (others > 0) tell(terminal, `${plural(others, 'receipt')} of these was not signed by the key of now.`);
}

function documents(receipts: Receipt[]): object[] {
  return receipts.map((one) => ({ ...statementIn(one), statement: one.statement, signature: one.signature }));
}
