/**
 * The one form of an address that is judged, shown to people and asked for, but for its query, which is sent as it was
 * written; null for what is none. Beside what `URL` makes the same (letters of the host, ports, dots, slashes, forms of
 * IPv4, names in other scripts) the root's dot after a name is gone, an IPv4 address in IPv6's form is itself, what
 * needs no escape has none, and what is not sent is left out.
 */
export function plainAddress(written: string): URL | null {
  if (!URL.canParse(written)) return null;
  const url = new URL(written);
  const host = plainHost(url.hostname);
  const path = plainEscapes(`${url.pathname}${url.search}`);
  const login = url.username === '' && url.password === '' ? '' : `${url.username}:${url.password}@`;
  const port = url.port === '' ? '' : `:${url.port}`;
  const plain = `${url.protocol}//${login}${host}${port}${path}`;
  return URL.canParse(plain) ? new URL(plain) : null;
}

/**
 * A pattern of permissions as it is held against such addresses: where its host is whole that is written as theirs, and
 * so are its escapes. A host that ends in `*` is any that begins so: only its letters are made small.
 */
export function plainPattern(pattern: string): string {
  const [, head, protocol = '', host = '', rest = ''] =
    /^(request:\S+ )(https?:\/\/)([^/?#]+)(.*)$/is.exec(pattern) ?? [];
  if (head === undefined) return pattern;
  const whole = host.includes('*') ? null : plainAddress(`${protocol}${host}/`);
  const origin = whole === null ? `${protocol}${host}`.toLowerCase() : whole.href.slice(0, -1);
  return `${head}${origin}${whole !== null && rest === '' ? '/' : plainEscapes(rest)}`;
}

function plainEscapes(text: string): string {
  return text.replace(/%[0-9A-Fa-f]{2}/g, plainEscape);
}

function plainHost(hostname: string): string {
  const [, high = '', low = ''] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname) ?? [];
  if (high === '') return hostname.replace(/\.+$/, '');
  const bits = [high, low].map((part) => parseInt(part, 16));
  return bits.flatMap((part) => [part >> 8, part & 255]).join('.');
}

/** RFC 3986, 2.3: these letters mean the same with an escape and without. */
function plainEscape(escape: string): string {
  const letter = String.fromCharCode(parseInt(escape.slice(1), 16));
  return /[A-Za-z0-9._~-]/.test(letter) ? letter : escape.toUpperCase();
}
