/** A name of a flow at an offset: all places that name the same, the one that defines it first. */
export interface FlowName {
  name: string;
  kind: 'capture' | 'agent' | 'label';
  places: { start: number; end: number }[];
}

/** The capture, the agent that the flow defines, or the label that stands at an offset of a flow. */
export function flowNameAt(text: string, offset: number): FlowName | null {
  const word = [...text.matchAll(/[A-Za-z_][\w-]*/g)].find(
    ({ index, 0: { length } }) => index <= offset && offset <= index + length,
  );
  if (word === undefined) return null;
  const [name] = word;
  for (const kind of ['capture', 'agent', 'label'] as const) {
    const places = placesOf(text, name, kind);
    if (places.some(({ start }) => start === word.index)) return { name, kind, places };
  }
  return null;
}

/** Tells whether a flow captures something under a name. */
export function isCaptured(text: string, name: string): boolean {
  return placesOf(text, name, 'capture').length > 0;
}

/** What defines a name, and what uses it: the text before it, and the name. */
const FORMS = {
  capture: {
    defines: /("[ \t]*:[ \t]*|\)[ \t]*:[ \t]*)(NAME)(?=\s*(?:->|\|\||~>|\(if|\]|#|$))/gm,
    uses: /((?<![\\{])\{|\(if\b[^()\n]*?(?<![\w-]))(NAME)(?![\w-])/g,
  },
  agent: {
    defines: /(\$(?=[\w-]+[ \t]*:=)|^[ \t]*"?(?=[\w-]+"?[ \t]*:[ \t]*\{))(NAME)(?![\w-])/gm,
    uses: /(\$)(NAME)(?![\w-]|[ \t]*:=)/g,
  },
  label: { defines: /(@)(NAME)(?![\w-])/g, uses: null },
};

/** Nothing where nothing defines the name. */
function placesOf(text: string, name: string, kind: FlowName['kind']): FlowName['places'] {
  const code = text.replace(/^[ \t]*#.*$/gm, (comment) => ' '.repeat(comment.length));
  const find = ({ source, flags }: RegExp): FlowName['places'] =>
    [...code.matchAll(new RegExp(source.replace('NAME', name), flags))].map(({ index, 1: before = '' }) => {
      const start = index + before.length;
      return { start, end: start + name.length };
    });
  const { defines, uses } = FORMS[kind];
  const defined = find(defines);
  return defined.length === 0 || uses === null ? defined : [...defined, ...find(uses)];
}
