import { safeText } from '../../cli/text/safe-text.js';
import { formatCount, plural } from '../../cli/text/format.js';

/**
 * A foreign text whole, as it was written: wrapped, in a box that scrolls, nothing cut. What is not drawn is an escape.
 * Each of its lines has a mark of the page's before it: what goes on where a line was wrapped has none.
 */
export function Content({ text, label, id }: { text: string; label: string; id?: string }) {
  const shown = safeText(text.replace(/\n+$/, ''));
  const lines = shown === '' ? [] : shown.split('\n');
  return (
    <figure class="content" id={id}>
      <figcaption>
        {label} · {plural(lines.length, 'line')} · {formatCount(text.length)} characters
      </figcaption>
      <pre tabindex={0} aria-label={label}>
        {lines.map((line, index) => (
          <>
            <i />
            {index + 1 < lines.length ? `${line}\n` : line}
          </>
        ))}
      </pre>
    </figure>
  );
}
