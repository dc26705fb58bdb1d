import type { CancellationToken } from 'vscode-languageserver/node';
import { LSPErrorCodes, ResponseError } from 'vscode-languageserver/node';
import type { Documents, OpenDocument } from './documents.js';

/** A request about one open text. */
interface Asked {
  textDocument: { uri: string };
}

/** Makes functions that answer requests about open texts. */
export interface Answers {
  /** `none` is the answer for a text that is not open. */
  answer: <P extends Asked, R>(
    none: R,
    give: (document: OpenDocument, params: P) => R,
  ) => (params: P, token: CancellationToken) => Promise<R>;
}

/**
 * Each answer is for the text as it is when it is given. What was asked is let go where the editor has cancelled it, or
 * the text has changed since: the editor asks anew.
 */
export function createAnswers(documents: Documents): Answers {
  return {
    answer: (none, give) => async (params, token) => {
      const asked = documents.at(params.textDocument.uri);
      if (asked === null) return none;
      // What the editor has sent behind the question is read first: that it is cancelled, or what was typed since.
      for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
      const document = documents.at(params.textDocument.uri);
      if (token.isCancellationRequested) throw new ResponseError(LSPErrorCodes.RequestCancelled, 'cancelled');
      if (document?.version !== asked.version)
        throw new ResponseError(LSPErrorCodes.ContentModified, 'the text has changed');
      return give(document, params);
    },
  };
}
