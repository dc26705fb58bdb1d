/**
 * All that runs in browsers: it asks for a page again when the server says that something in it has changed, and puts
 * the parts that differ in the place of the old ones. Without it pages are read and decided as they are.
 */
const WAIT_MS = 150;
/** Who is signed out signs in elsewhere: so often it is asked whether they have. */
const SIGNED_OUT_MS = 3_000;

const main = document.querySelector<HTMLElement>('[data-events]');
const address = main?.dataset['events'];
if (address !== undefined) follow(address);

function follow(events: string): void {
  let source: EventSource | null = null;
  let ended = false;
  let waiting: number | undefined;
  const later = (ms = WAIT_MS): void => {
    window.clearTimeout(waiting);
    waiting = window.setTimeout(() => void refresh().then(goOn), ms);
  };
  const goOn = (came: Came): void => {
    if (came === 'pressed') later();
    else if (came === 'signed-out') later(SIGNED_OUT_MS);
    else if (source?.readyState === EventSource.CLOSED) connect();
  };
  // Browsers keep few connections to one server: only what is looked at has one.
  const connect = (): void => {
    source?.close();
    source = null;
    if (ended || document.hidden) return;
    source = new EventSource(events);
    source.addEventListener('changed', () => later());
    // Refused, and not merely away: the session has ended.
    source.addEventListener('error', () => source?.readyState === EventSource.CLOSED && later());
    source.addEventListener('ended', () => {
      ended = true;
      source?.close();
      later();
    });
  };
  document.addEventListener('visibilitychange', () => {
    connect();
    if (!document.hidden) later();
  });
  connect();
}

/** A press that has begun and not ended: what it began on must be there when it ends, or nothing comes of it. */
let isPressed = false;
for (const begins of ['pointerdown', 'keydown']) document.addEventListener(begins, () => (isPressed = true), true);
for (const ends of ['pointerup', 'pointercancel', 'keyup'])
  document.addEventListener(ends, () => (isPressed = false), true);
window.addEventListener('blur', () => (isPressed = false));

/** Of a form that was sent this soon before the second press is that of a double click. */
const DOUBLE_MS = 2_000;
let sent: { form: EventTarget | null; at: number } | null = null;
document.addEventListener('submit', (event) => {
  const { target: form, timeStamp: at } = event;
  const note = document.querySelector('.signed-out');
  if (note !== null) {
    event.preventDefault();
    note.scrollIntoView();
    return;
  }
  if (sent?.form === form && at - (sent?.at ?? 0) < DOUBLE_MS) event.preventDefault();
  else sent = { form, at };
});

/** `pressed`: somebody presses something just now, and nothing was changed. */
type Came = 'done' | 'pressed' | 'signed-out';

/** Puts what has changed in its place, and says where nobody is signed in any more: what is typed stays. */
async function refresh(): Promise<Came> {
  const response = await fetch(location.href, { credentials: 'same-origin' }).catch(() => null);
  if (response === null) return 'done';
  if (response.status === 401) {
    tellSignedOut();
    return 'signed-out';
  }
  document.querySelector('.signed-out')?.remove();
  // What is parsed so runs nothing.
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
  if (isPressed) return 'pressed';
  for (const part of document.querySelectorAll<HTMLElement>('[data-part]')) {
    const next = fresh.getElementById(part.id);
    if (next === null || source(next) === source(part)) continue;
    if (isBeingFilled(part) || asksElse(part, next)) tellStale(part);
    else replace(part, next);
  }
  return 'done';
}

function tellSignedOut(): void {
  if (main === null || document.querySelector('.signed-out') !== null) return;
  const note = document.createElement('p');
  note.className = 'warning signed-out';
  note.setAttribute('role', 'alert');
  note.append('You are signed out. Open a new sign-in link in another tab, then send here: what you typed stays.');
  main.prepend(note);
}

/** Parts as the server sent them: what people open and type is not in it. */
const sources = new WeakMap<Element, string>();
for (const part of document.querySelectorAll('[data-part]')) source(part);

function source(part: Element): string {
  const known = sources.get(part) ?? part.outerHTML;
  sources.set(part, known);
  return known;
}

/** Somebody writes or chooses in it: nothing is taken from under their hands. */
function isBeingFilled(part: Element): boolean {
  return [...part.querySelectorAll('input, textarea, select')].some((field) => {
    if (field instanceof HTMLSelectElement)
      return (
        field.selectedIndex !==
        Math.max(
          0,
          [...field.options].findIndex(({ defaultSelected }) => defaultSelected),
        )
      );
    if (field instanceof HTMLInputElement && field.type === 'radio') return field.checked !== field.defaultChecked;
    return (
      (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) &&
      field.type !== 'hidden' &&
      field.value !== field.defaultValue
    );
  });
}

/** What was read is not what is asked by now: nothing else comes under a hand that is about to decide. */
function asksElse(part: Element, next: Element): boolean {
  const [before, now] = [askedIn(part), askedIn(next)];
  return before !== '' && now !== '' && before !== now;
}

/** What the forms of a part decide on: hashes, and since when each is asked. */
function askedIn(part: Element): string {
  const fields = part.querySelectorAll<HTMLInputElement>('input[name="hash"], input[name="since"]');
  return [...new Set([...fields].map(({ value }) => value))].join(' ');
}

function tellStale(part: Element): void {
  if (part.querySelector('.stale') !== null) return;
  const note = document.createElement('p');
  note.className = 'warning stale';
  note.setAttribute('role', 'status');
  const link = document.createElement('a');
  link.href = location.href;
  link.textContent = 'Look again';
  note.append('This has changed since you looked at it. ', link, '.');
  part.prepend(note);
}

function replace(part: Element, next: Element): void {
  const text = source(next);
  const open = new Set([...part.querySelectorAll('details[open] > summary')].map((one) => one.textContent));
  for (const summary of next.querySelectorAll('details > summary'))
    if (open.has(summary.textContent)) summary.parentElement?.setAttribute('open', '');
  const scrolled = [...part.querySelectorAll('pre')].map(({ scrollTop }) => scrollTop);
  const focus = focusIn(part);
  const placed = document.adoptNode(next);
  part.replaceWith(placed);
  sources.set(placed, text);
  placed.querySelectorAll('pre').forEach((pre, index) => (pre.scrollTop = scrolled[index] ?? 0));
  if (focus !== null) alike(placed, focus.sign)[focus.index]?.focus({ preventScroll: true });
}

/** What has the focus in a part: what it does and says, and which of those that are the same; null for nothing. */
function focusIn(part: Element): { sign: string; index: number } | null {
  const active = document.activeElement;
  if (!(active instanceof HTMLElement) || !part.contains(active)) return null;
  const sign = signOf(active);
  return { sign, index: alike(part, sign).indexOf(active) };
}

function alike(part: Element, sign: string): HTMLElement[] {
  return [...part.querySelectorAll<HTMLElement>('a, button, summary, input, textarea, select, [tabindex]')].filter(
    (one) => signOf(one) === sign,
  );
}

/** Of buttons in one place only the one that does and says the same: a key that is pressed next must not do another. */
function signOf(element: HTMLElement): string {
  const told = ['href', 'name', 'value', 'aria-label'].map((name) => element.getAttribute(name));
  const form = element.closest('form')?.getAttribute('action') ?? null;
  const says = element.matches('a, button, summary') ? element.textContent : null;
  return JSON.stringify([element.tagName, ...told, form, says]);
}
