export const DEFAULT_PORT = '11434';

/** Tells whether a model runs at Ollama's own, where it is paid for. */
export function isCloudModel(model: string): boolean {
  return /[:-]cloud$/.test(model);
}

/**
 * The address of Ollama from what `OLLAMA_HOST` may hold: a URL, a host, `0.0.0.0` for "all of them". What is no
 * address stays as it is: nobody answers there, and whoever needs Ollama is told where it was looked for.
 */
export function ollamaUrl(host: string | null | undefined): string {
  const text = host?.trim() || 'localhost';
  const written = /^https?:\/\//.test(text) ? text : `http://${text}`;
  if (!URL.canParse(written)) return written;
  const url = new URL(written);
  const hasPort = /:\d+$/.test(text.replace(/\/.*$/, '')) || text.startsWith('http');
  if (!hasPort) url.port = DEFAULT_PORT;
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  return url.href.replace(/\/$/, '');
}
