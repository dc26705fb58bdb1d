/** One thing that Perdure needs or can use. */
export interface Finding {
  name: string;
  ok: boolean;
  /** Whether something does not work without it; the rest are options. */
  required: boolean;
  detail: string;
  /** What to do about it; null when nothing is to be done. */
  fix: string | null;
}
