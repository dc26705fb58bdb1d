import type { Child } from 'hono/jsx';
import { safeText } from '../../cli/text/safe-text.js';

/** A page that says one thing. */
export function Notice({
  title,
  message,
  hint,
  children,
}: {
  title: string;
  message: string;
  hint?: string | null;
  children?: Child;
}) {
  return (
    <section class="notice">
      <h1>{title}</h1>
      <p>{safeText(message)}</p>
      {hint ? <pre class="plain">{safeText(hint)}</pre> : null}
      {children}
    </section>
  );
}
