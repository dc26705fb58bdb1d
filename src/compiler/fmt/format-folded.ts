import type { CollectionTag, Scalar, ScalarTag, TagId, Tags } from 'yaml';

const STRING = 'tag:yaml.org,2002:str';
/** One that tells its indentation begins with blanks, which the library writes well. */
const HEAD = /^>-?$/;

/**
 * Texts in `>` keep the lines that their author gave them: the library would make one line of each paragraph. Needs
 * source tokens.
 */
export function keepFoldedLines(tags: Tags): Tags {
  return tags.map((tag) =>
    isText(tag)
      ? {
          ...tag,
          stringify: (item, context, ...hooks) =>
            foldedLines(item, context) ?? tag.stringify?.(item, context, ...hooks) ?? '',
        }
      : tag,
  );
}

function isText(tag: ScalarTag | CollectionTag | TagId): tag is ScalarTag {
  return typeof tag === 'object' && tag.tag === STRING;
}

/** A folded text as it was written, at its new indentation; null for any other. */
function foldedLines(
  { srcToken, comment }: Scalar,
  { indent }: Parameters<NonNullable<ScalarTag['stringify']>>[1],
): string | null {
  if (srcToken?.type !== 'block-scalar' || (comment ?? '') !== '') return null;
  const head = srcToken.props.find(({ type }) => type === 'block-scalar-header');
  if (head === undefined || !('source' in head) || !HEAD.test(head.source)) return null;
  const lines = srcToken.source.trimEnd().split('\n');
  const before = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)));
  return [
    head.source,
    ...lines.map((line) => (line.trim() === '' ? '' : `${indent === '' ? '  ' : indent}${line.slice(before)}`)),
  ].join('\n');
}
