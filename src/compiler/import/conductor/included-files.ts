import { dirname, extname, resolve } from 'node:path';
import type { Report } from '../../problems/problem.js';
import type { Source } from '../../problems/source.js';
import { createSource } from '../../problems/source.js';
import { readText, realPath } from '../../text/disk.js';

/** A value that is a file's text: `prompt: !file prompts/look.md`. Lines keep their numbers. */
const INCLUDED = /^([ \t]*(?:- +)?[\w-]+:[ \t]+)!file[ \t]+(["']?)([^"'\n#]+?)\2[ \t]*$/gm;
/** Files of data would be more than a text. */
const DATA = ['.yaml', '.yml', '.json'];

/**
 * A workflow of conductor with the texts that it includes by `!file`, which lie beside it and inside the project; null
 * where one cannot be read, which is reported.
 */
export function withIncluded(source: Source, root: string, report: Report): Source | null {
  if (!/^workflow:/m.test(source.text) || !source.text.includes('!file')) return source;
  let isWhole = true;
  let text = '';
  let end = 0;
  for (const { 0: line, 1: head = '', 3: name = '', index } of source.text.matchAll(INCLUDED)) {
    if (DATA.includes(extname(name))) continue;
    const content = contentOf(resolve(dirname(source.absolute), name), root);
    if ('failure' in content) {
      isWhole = false;
      const at = { source, path: '', start: index + line.indexOf('!file'), end: index + line.length };
      report({ code: 'unreadable-file', at, message: `\`${name}\` is not included. ${content.failure}` });
      continue;
    }
    text += source.text.slice(end, index) + head + JSON.stringify(content.text);
    end = index + line.length;
  }
  return isWhole ? createSource(source.absolute, source.file, text + source.text.slice(end)) : null;
}

function contentOf(file: string, root: string): { text: string } | { failure: string } {
  const isInside = realPath(file).startsWith(`${realPath(root)}/`);
  return isInside ? readText(file) : { failure: 'It lies outside of this project.' };
}
