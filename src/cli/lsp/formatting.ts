import type { TextEdit } from 'vscode-languageserver/node';
import { formatFile, hasCanonicalForm } from '../../compiler/fmt/format-file.js';
import { withOverlay } from '../../compiler/text/disk.js';
import { isForDefinitions } from '../../compiler/validate.js';
import type { Documents, OpenDocument } from './documents.js';
import { rangeOf } from './documents.js';

/** What `perdure fmt` would change in an open file; nothing where it has problems, or no canonical form. */
export function formatDocument({ path, text }: OpenDocument, cwd: string, { texts }: Documents): TextEdit[] {
  if (path === null || !hasCanonicalForm(path) || isForDefinitions(path)) return [];
  const formatted = withOverlay({ texts }, () => formatFile(path, cwd));
  if (formatted.text === null || formatted.same) return [];
  return [{ range: rangeOf(text, 0, text.length), newText: formatted.text }];
}
