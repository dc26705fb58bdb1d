import type { Scalar, ScalarTag } from 'yaml';

/** One that tells its indentation begins with blanks, which the library writes well. */
const HEAD = /^>-?$/;

/**
 * A text in `>` at its new indentation, in the lines that its author gave it, of which the library would make one for
 * each paragraph; null for any other. Needs source tokens.
 */
export function foldedLines(
  { srcToken, comment }: Scalar,
  { indent }: Parameters<NonNullable<ScalarTag['stringify']>>[1],
): string | null {
  if (srcToken?.type !== 'block-scalar' || (comment ?? '') !== '') return null;
  const head = srcToken.props.find(({ type }) => type === 'block-scalar-header');
  if (head === undefined || !('source' in head) || !HEAD.test(head.source)) return null;
  const lines = srcToken.source.split(/\r?\n/);
  const before = Math.min(...lines.map((line) => line.search(/[^ ]/)).filter((column) => column !== -1));
  // Blanks beyond the indentation are part of the text.
  const kept = lines.map((line) => line.slice(before));
  while (kept.at(-1) === '') kept.pop();
  return [head.source, ...kept.map((line) => (line === '' ? '' : `${indent === '' ? '  ' : indent}${line}`))].join(
    '\n',
  );
}
