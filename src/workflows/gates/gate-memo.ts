import { upsertMemo } from '@temporalio/workflow';
import type { Gate, GateEnd } from '../../plan/gates/gate.js';
import { utf8Bytes } from '../../plan/values/json.js';
import { MEMO } from '../../plan/names.js';
import { fitsInline, isStored } from '../../plan/values/value.js';
import type { GateMemo } from '../state/gate-book.js';
import { cutTo } from '../../plan/text/cut-to.js';

/** A list of open gates may have this many bytes: it is written again at each change. */
const LIST_BYTES = 16 * 1024;
/** A question in a long list. */
const SHORT_MESSAGE = 120;

/** The memo of this run. It remembers what it wrote, so that an event tells no more than what changed. */
export function createGateMemo(): GateMemo {
  let written = '';
  let unlisted = 0;
  const show = (open: ReadonlyMap<string, Gate>, closed: GateEnd | null, always = false): void => {
    const list = listOf([...open.values()]);
    const text = JSON.stringify(list);
    const rest = open.size - list.length;
    const isWritten = text === written;
    const change = {
      ...(isWritten ? {} : { [MEMO.waiting]: list }),
      ...(rest === unlisted && !(always && isWritten) ? {} : { [MEMO.unlisted]: rest }),
      ...(closed === null ? {} : { [MEMO.decided]: closed }),
    };
    if (Object.keys(change).length === 0) return;
    written = text;
    unlisted = rest;
    upsertMemo(change);
  };
  return {
    show,
    showOpened: (open) => show(open, null, true),
  };
}

/**
 * All gates where they fit; else the first of them, in few words. The whole of a gate is in the history (decision 5).
 */
function listOf(gates: Gate[]): Gate[] {
  const whole = gates.map(asListed);
  if (utf8Bytes(JSON.stringify(whole)) <= LIST_BYTES) return whole;
  const list: Gate[] = [];
  let bytes = 0;
  for (const gate of whole.map(inFewWords)) {
    bytes += utf8Bytes(JSON.stringify(gate));
    if (bytes > LIST_BYTES) break;
    list.push(gate);
  }
  return list;
}

function asListed({ first: _first, ...gate }: Gate): Gate {
  if (gate.schema === undefined || fitsInline(gate.schema)) return gate;
  const { schema: _long, ...rest } = gate;
  return rest;
}

function inFewWords({ schema: _schema, ...gate }: Gate): Gate {
  const { message, content } = gate;
  return {
    ...gate,
    message: cutTo(message, SHORT_MESSAGE),
    content: content === null || !isStored(content) ? content : { ref: content.ref, bytes: content.bytes },
  };
}
