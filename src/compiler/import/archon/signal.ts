/** Whether an output says the word that ends a loop: in a tag, at its end, or on a line of its own. */
export function signalIn(output: string, signal: string): string {
  const word = quoted(signal);
  return [
    `contains(lower(${output}), ${quoted(`>${signal.toLowerCase()}</`)})`,
    `endsWith(${output}, ${word})`,
    `endsWith(${output}, ${quoted(`${signal}.`)})`,
    `startsWith(${output}, ${quoted(`${signal}\n`)})`,
    `contains(${output}, ${quoted(`\n${signal}\n`)})`,
  ].join(' || ');
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n')}'`;
}
