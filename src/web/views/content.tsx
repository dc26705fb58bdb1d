import { safeText } from '../../cli/text/safe-text.js';
import { formatCount, plural } from '../../cli/text/format.js';

/**
 * A foreign text whole, as it was written: wrapped, in a box that scrolls, nothing cut. What is not drawn is an escape.
 */
export function Content({ text, label, id }: { text: string; label: string; id?: string }) {
  const shown = safeText(text.replace(/\n+$/, ''));
  const lines = shown === '' ? 0 : shown.split('\n').length;
  return (
    <figure class="content" id={id}>
      <figcaption>
        {label} · {plural(lines, 'line')} · {formatCount(text.length)} characters
      </figcaption>
      <pre tabindex={0} aria-label={label}>
        {shown}
      </pre>
    </figure>
  );
}
