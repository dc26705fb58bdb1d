import type { Scalar, ScalarTag, Tags } from 'yaml';
import { parseDocument } from 'yaml';
import { escapeUndrawn } from '../text/hidden-characters.js';
import { escapedText, isTag, writeTexts } from '../text/yaml-text.js';
import { foldedLines } from './format-folded.js';

const NUMBERS = new Set(['tag:yaml.org,2002:int', 'tag:yaml.org,2002:float']);

/**
 * Scalars say after formatting what they said before: texts in `>` keep their lines, numbers the spelling that commands
 * see, and an escape never becomes a character that is not drawn. Needs source tokens.
 */
export function keepScalars(tags: Tags): Tags {
  const texts = writeTexts(tags, (item, write, context) => {
    const folded = foldedLines(item, context);
    if (folded !== null && saysAsBlock(folded, context.indent) === item.value) return folded;
    const written = withoutBlanks(write(item), item, context.indent);
    const isOther = isBlock(written) && saysAsBlock(written, context.indent) !== item.value;
    return isOther || undrawn(written) > undrawn(sourceOf(item)) ? escapedText(item, write) : written;
  });
  return texts.map((tag) => (isTag(tag) && NUMBERS.has(tag.tag) ? keepSpelling(tag) : tag));
}

function isBlock(written: string): boolean {
  return /^[>|][^\n]*\n/.test(written);
}

/**
 * What a block text says where it is written: the library drops blanks that end its lines, or reads more of them. It is
 * read as deep as it is written: an indentation that its head tells counts from what is around it.
 */
function saysAsBlock(written: string, indent: string): unknown {
  return parseDocument(`${indent.slice(2)}- ${written}\n`, { schema: 'core' }).getIn([0]);
}

function keepSpelling(tag: ScalarTag): ScalarTag {
  return { ...tag, stringify: (item, ...rest) => item.source ?? tag.stringify?.(item, ...rest) ?? '' };
}

/** The library indents an empty line at the head of a text in `>`, and leaves it alone the next time. */
function withoutBlanks(written: string, { type }: Scalar, indent: string): string {
  return type === 'BLOCK_FOLDED'
    ? written.replace(/^ +$/gm, (line) => line.slice(0, line.length > indent.length ? line.length : 0))
    : written;
}

/** What is written for a text; what its author typed as such a character stays one. */
function sourceOf({ srcToken }: Scalar): string {
  return srcToken !== undefined && 'source' in srcToken ? srcToken.source : '';
}

function undrawn(text: string): number {
  return escapeUndrawn(text).length - text.length;
}
