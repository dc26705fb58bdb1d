/** The HTTP status that a program's message tells of, or null: `last status: 429 Too Many Requests`, `"code":401`. */
export function statusIn(message: string): number | null {
  const [, status] = /(?:status(?: code)?:?\s*|"code":\s*|^|\()([45]\d\d)\b/i.exec(message) ?? [];
  return status === undefined ? null : Number(status);
}
