import type { Document, DocumentOptions, ParsedNode, ParseOptions, SchemaOptions } from 'yaml';
import { Composer, CST, Lexer, Parser, YAMLParseError } from 'yaml';
import { MAX_DEPTH } from './node.js';

/**
 * Levels at which a text is not even parsed. The library's parser calls itself for each level: where the stack is
 * nearly used up, V8 ends the whole process as soon as a regular expression is to be compiled. What has fewer, and more
 * than are allowed, is told by the walk over its nodes.
 */
const MOST_LEVELS = 2 * MAX_DEPTH;

/** A text in the pieces that YAML is made of; where it is too deep to be parsed, the offset at which it gets so. */
export function lexYaml(text: string): { lexemes: string[]; deepAt: number | null } {
  const lexemes: string[] = [];
  const levels = createLevels();
  for (const lexeme of new Lexer().lex(text)) {
    const at = levels.take(lexeme);
    if (at !== null) return { lexemes, deepAt: at };
    lexemes.push(lexeme);
  }
  return { lexemes, deepAt: null };
}

/** What `parseDocument` of the library makes of a text in its pieces; errors are not made pretty. */
export function parseLexemes(
  { lexemes, text }: { lexemes: string[]; text: string },
  options: ParseOptions & DocumentOptions & SchemaOptions,
): Document.Parsed<ParsedNode> {
  const documents: Document.Parsed<ParsedNode>[] = [];
  // The composer makes one at the very end, if not before.
  for (const document of new Composer<ParsedNode>(options).compose(tokensOf(lexemes), true, text.length)) {
    documents.push(document);
    if (documents.length === 2) break;
  }
  const [first, second] = documents as [Document.Parsed<ParsedNode>, Document.Parsed<ParsedNode>?]; // as just said
  if (second !== undefined)
    first.errors.push(
      new YAMLParseError([second.range[0], second.range[1]], 'MULTIPLE_DOCS', 'There is a second document.'),
    );
  return first;
}

function* tokensOf(lexemes: string[]): Generator<CST.Token> {
  const parser = new Parser();
  for (const lexeme of lexemes) yield* parser.next(lexeme);
  yield* parser.end();
}

/** Follows how deep the pieces go: brackets that are open, and columns at which something has begun and goes on. */
function createLevels(): { take: (lexeme: string) => number | null } {
  const columns: number[] = [];
  let flow = 0;
  let offset = 0;
  let line = 0;
  /** The piece that comes is a text, whatever it looks like. */
  let isScalar = false;
  let isBlockText = false;

  const begin = (column: number): void => {
    while ((columns.at(-1) ?? -1) > column) columns.pop();
    if ((columns.at(-1) ?? -1) < column) columns.push(column);
  };

  const open = (type: CST.TokenType | null): void => {
    if (type === 'flow-map-start' || type === 'flow-seq-start') flow += 1;
    else if (type === 'flow-map-end' || type === 'flow-seq-end') flow = Math.max(0, flow - 1);
    else if (type === 'flow-error-end') flow = 0;
    else if (flow === 0 && BEGINS.has(type ?? '')) begin(offset - line);
  };

  return {
    take(lexeme) {
      const type = isScalar ? null : CST.tokenType(lexeme);
      // The lines of a block text begin where they like.
      if (type !== 'scalar' || !isBlockText) open(type);
      if (flow + columns.length > MOST_LEVELS) return offset;
      if (!isScalar && type !== 'newline' && type !== 'space' && type !== 'comment')
        isBlockText = type === 'block-scalar-header';
      const isMark = !isScalar && MARKS.has(lexeme);
      isScalar = type === 'scalar';
      if (isMark) return null;
      const end = lexeme.lastIndexOf('\n');
      if (end !== -1) line = offset + end + 1;
      offset += lexeme.length;
      return null;
    },
  };
}

const BEGINS = new Set<string>([
  'scalar',
  'single-quoted-scalar',
  'double-quoted-scalar',
  'alias',
  'seq-item-ind',
  'explicit-key-ind',
]);

/** Pieces that stand for no text. */
const MARKS = new Set<string>([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]);
