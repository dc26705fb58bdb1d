import pc from 'picocolors';

/** What a text says by its colour. */
export type Tone = 'good' | 'bad' | 'active' | 'attention' | 'quiet' | 'plain';

/** Colours by meaning; the identity where there are none. */
export interface Palette {
  tone: (tone: Tone, text: string) => string;
  bold: (text: string) => string;
  dim: (text: string) => string;
  /** True where texts are coloured at all. */
  colored: boolean;
}

/** A palette for one stream. Nothing is coloured where the stream is no terminal or `NO_COLOR` is set. */
export function createPalette(enabled: boolean): Palette {
  const colors = pc.createColors(enabled);
  const tones: Record<Tone, (text: string) => string> = {
    good: colors.green,
    bad: colors.red,
    active: colors.cyan,
    attention: colors.yellow,
    quiet: colors.dim,
    plain: (text) => text,
  };
  return { tone: (tone, text) => tones[tone](text), bold: colors.bold, dim: colors.dim, colored: enabled };
}
