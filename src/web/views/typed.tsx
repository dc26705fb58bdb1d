import type { Sent } from '../data/answer-fields.js';
import { Content } from './content.js';

/** What people type into forms; all else in them is ours. */
const LABELS: [RegExp, string][] = [
  [/^comment$/, 'Comment'],
  [/^value$/, 'Answer'],
  [/^field:\d+$/, 'Field'],
  [/^edit$/, 'Content'],
  [/^text$/, 'Text'],
];

/** What somebody has typed into a form that was not taken: it is here to be copied, and sent again. */
export function Typed({ sent }: { sent: Sent }) {
  const typed = Object.entries(sent).flatMap(([name, text = '']) => {
    const [, label] = LABELS.find(([pattern]) => pattern.test(name)) ?? [];
    return label === undefined || text.trim() === '' ? [] : [{ label, text: text.replaceAll('\r\n', '\n') }];
  });
  if (typed.length === 0) return <></>;
  return (
    <>
      <h2>What you typed</h2>
      {typed.map(({ label, text }) => (
        <Content text={text} label={label} />
      ))}
    </>
  );
}
