import type { Node } from '../../compiler/text/node.js';
import type { Documents, OpenDocument } from './documents.js';

/** A place of an open text that an editor asks about. */
export interface Asking {
  document: OpenDocument;
  /** Where it is, in UTF-16 units. */
  offset: number;
  /** Where `perdure validate` would run for the file. */
  cwd: string;
  documents: Documents;
  /** The document of this text, or of nearly this one; null where it is none. */
  read: (text: string) => Node | null;
}
