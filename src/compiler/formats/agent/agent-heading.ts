import type { Member, Node } from '../../text/node.js';
import type { Source } from '../../problems/source.js';

/**
 * An agent in Markdown without front matter, as older files have it: the first heading is its name, the first
 * paragraph its description, a list under `## Tools` its tools, and the whole text its prompt. Null for other files.
 */
export function headingAgent(source: Source): Node | null {
  const { text } = source;
  const heading = source.absolute.endsWith('.md') ? /^\s*#[ \t]+(.+?)[ \t]*#*[ \t]*$/m.exec(text) : null;
  if (heading === null || text.slice(0, heading.index).trim() !== '') return null;
  const members = new Map<string, Member>();
  const put = (name: string, value: string, start: number): void => {
    const node: Node = {
      source,
      path: name,
      start,
      end: start + value.length,
      value,
      members: null,
      items: null,
      style: 'plain',
    };
    members.set(name, { key: node, node });
  };
  const [whole, title = ''] = heading;
  const after = heading.index + whole.length;
  put('name', title, heading.index + whole.indexOf(title));
  const paragraph = /^(?![ \t]*(?:#|[-*][ \t]))[ \t]*\S[^\n]*(?:\n(?![ \t]*(?:#|\n|$))[^\n]+)*/m.exec(
    text.slice(after),
  );
  if (paragraph !== null) put('description', paragraph[0].trim().replace(/\s*\n\s*/g, ' '), after + paragraph.index);
  const tools = /^##[ \t]+Tools[ \t]*\n((?:[ \t]*\n|[ \t]*[-*][ \t]+[^\n]+(?:\n|$))+)/im.exec(text);
  if (tools !== null)
    put(
      'tools',
      [...(tools[1] ?? '').matchAll(/[-*][ \t]+`?([^\s`:,]+)/g)].map(([, tool]) => tool).join(', '),
      tools.index,
    );
  put('prompt', text.trim(), text.length - text.trimStart().length);
  return {
    source,
    path: '',
    start: 0,
    end: text.length,
    value: Object.fromEntries([...members].map(([name, { node }]) => [name, node.value])),
    members,
    items: null,
    style: null,
  };
}
