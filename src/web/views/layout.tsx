import type { Child } from 'hono/jsx';
import { escapeHidden } from '../../plan/text/safe-text.js';

/** What stands around every page. */
export interface Frame {
  /** Safe to show. */
  title: string;
  /** Who is signed in; null for nobody. */
  person: string | null;
  /** Which part of the site it is in. */
  section?: 'inbox' | 'runs';
  /** Where changes of what is shown are told; absent where nothing changes. */
  events?: string;
}

/** How many gates and paused runs wait for people, where it is known. */
export interface Waiting {
  count: number | null;
}

interface DocumentProps extends Frame {
  waiting: Waiting;
  children: Child;
}

function Document({ title, person, section, events, waiting, children }: DocumentProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Perdure`}</title>
        <link rel="stylesheet" href="/assets/page.css" />
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        <script src="/assets/page.js" defer></script>
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <header class="bar">
          <a class="brand" href="/">
            Perdure
          </a>
          {person === null ? null : (
            <>
              <nav aria-label="Main">
                <NavLink href="/inbox" current={section === 'inbox'}>
                  Inbox
                  <span id="count" data-part class={waiting.count ? 'count' : 'count none'}>
                    {waiting.count ?? ''}
                    <span class="unseen"> waiting</span>
                  </span>
                </NavLink>
                <NavLink href="/runs" current={section === 'runs'}>
                  Runs
                </NavLink>
              </nav>
              <a class="person" href="/you">
                {person}
              </a>
            </>
          )}
        </header>
        <main id="main" tabindex={-1} data-events={events}>
          {children}
        </main>
      </body>
    </html>
  );
}

function NavLink({ href, current, children }: { href: string; current: boolean; children: Child }) {
  return (
    <a href={href} aria-current={current ? 'page' : undefined}>
      {children}
    </a>
  );
}

/**
 * A whole page as text. Whatever is in it, no character that is not drawn leaves here: hidden ones are escapes, as in
 * the terminal.
 */
export function documentText(frame: Frame, waiting: Waiting, children: Child): string {
  const html = (
    <Document {...frame} waiting={waiting}>
      {children}
    </Document>
  );
  // In parts that begin with a tag: nearly all are plain.
  const parts = String(html).split(/(?=<)/);
  return `<!doctype html>${parts.map((part) => escapeHidden(part)).join('')}`;
}
