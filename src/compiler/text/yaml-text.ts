import type { CollectionTag, CreateNodeOptions, DocumentOptions, ScalarTag, TagId, Tags, ToStringOptions } from 'yaml';
import { Scalar, stringify } from 'yaml';
import { escapeUndrawn } from './hidden-characters.js';

type Write = NonNullable<ScalarTag['stringify']>;

const STRING = 'tag:yaml.org,2002:str';

/**
 * Data as YAML that we read back as it is, and whose readers see all that it says: no lines are folded, no aliases
 * stand for what is there twice, and a character that is not drawn is an escape in double quotes.
 */
export function yamlText(
  value: unknown,
  options: DocumentOptions & CreateNodeOptions & Pick<ToStringOptions, 'blockQuote'> = {},
): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false, customTags: drawTexts, ...options });
}

/** Writes texts with characters that are not drawn in double quotes, with escapes for these. */
export function drawTexts(tags: Tags): Tags {
  return writeTexts(tags, (item, write) => {
    const written = write(item);
    return escapeUndrawn(written) === written ? written : escapedText(item, write);
  });
}

/** A text in double quotes, with escapes for characters that are not drawn. */
export function escapedText(item: Scalar, write: (item: Scalar) => string): string {
  const quoted = new Scalar(item.value);
  quoted.type = 'QUOTE_DOUBLE';
  return escapeUndrawn(write(quoted));
}

/**
 * Tags of which that of texts writes them by `instead`, which is handed the library's own way. Only the last that this
 * wrote tells the library that the comment is written too: told so of one that is given up, it would write it nowhere.
 */
export function writeTexts(
  tags: Tags,
  instead: (item: Scalar, write: (item: Scalar) => string, context: Parameters<Write>[1]) => string,
): Tags {
  return tags.map((tag) =>
    isTag(tag) && tag.tag === STRING
      ? {
          ...tag,
          stringify: (item, context, onComment, onChompKeep) => {
            let told = new Set<(() => void) | undefined>();
            const write = (one: Scalar): string => {
              told = new Set();
              const [commented, kept] = [() => void told.add(onComment), () => void told.add(onChompKeep)];
              return tag.stringify?.(one, context, commented, kept) ?? '';
            };
            const written = instead(item, write, context);
            for (const tell of told) tell?.();
            return written;
          },
        }
      : tag,
  );
}

/** Tells whether one is a scalar's; collections are never texts or numbers. */
export function isTag(tag: ScalarTag | CollectionTag | TagId): tag is ScalarTag {
  return typeof tag === 'object' && !('collection' in tag && tag.collection !== undefined);
}
