/** The journal's scope of a nested run: that of the run above; of a further try of its step one of its own. */
export function scopeOfTry(above: string, path: string, tried: number): string {
  return tried === 1 ? above : `${above} ${path} ${tried}`;
}

/** The scope above that of a further try, and whose it is; null for that of a tree. */
export function scopeAbove(scope: string): { above: string; path: string; tried: number } | null {
  const { above, path, tried } = /^(?<above>.+) (?<path>\S+) (?<tried>\d+)$/.exec(scope)?.groups ?? {};
  return above === undefined || path === undefined ? null : { above, path, tried: Number(tried) };
}
