export const DEFAULT_PORT = '11434';

/** Tells whether a model runs at Ollama's own, where it is paid for. */
export function isCloudModel(model: string): boolean {
  return /[:-]cloud$/.test(model);
}

/** The address of Ollama from what `OLLAMA_HOST` may hold: a URL, a host, `0.0.0.0` for "all of them". */
export function ollamaUrl(host: string | null | undefined): string {
  const text = host?.trim() || 'localhost';
  const url = new URL(/^https?:\/\//.test(text) ? text : `http://${text}`);
  const hasPort = /:\d+$/.test(text.replace(/\/.*$/, '')) || text.startsWith('http');
  if (!hasPort) url.port = DEFAULT_PORT;
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  return url.href.replace(/\/$/, '');
}
