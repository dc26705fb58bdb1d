import type { Text } from './value.js';

/** Kinds of files that some models read as they are. */
export type AttachedMedia = 'application/pdf' | 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/** A file that an agent is shown as it is, beside its texts. */
export type Attachment = {
  /** As it was written, from the manifest's folder. */
  name: string;
  media: AttachedMedia;
  /** Its content in base64. */
  data: Text;
  /** Tokens that a model reads in it, at most: what is reserved for it. */
  tokens: number;
};
