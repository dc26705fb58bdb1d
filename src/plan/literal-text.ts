/** A text as it is written in a definition, where none of its `${` shall be read as a reference (I4). */
export function literalText(text: string): string {
  return text.replaceAll('${', '\\${');
}
