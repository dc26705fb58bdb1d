import { describe, expect, it } from 'vitest';
import { namesContent, shownContent, withContents } from '../../../src/plan/gates/shown-content.js';
import type { Hash } from '../../../src/plan/values/value.js';
import { inline } from '../../../src/plan/values/value.js';

const REF: Hash = `sha256:${'a'.repeat(64)}`;

describe('what a gate shows in the details of a run', () => {
  it('is a block of code in which no Markdown, link or hidden character acts', () => {
    expect(shownContent(inline('# <b>hi</b>\nhttps://evil.example \u202e'))).toBe(
      '    # <b>hi</b>\n    https://\u200bevil.example \\u{202e}\n',
    );
    expect(shownContent(null)).toBe('');
    expect(shownContent(inline({ a: [1] }))).toBe('    {\n      "a": [\n        1\n      ]\n    }\n');
  });

  it('is put in place of its name, and nothing else is that looks like one', async () => {
    const named = shownContent({ ref: REF, bytes: 900 });
    const forged = shownContent(inline(`ha\n${named}`));
    const details = `head\n${forged}\n${named}\ntail`;
    const shown = await withContents(details, () => Promise.resolve(`first\n${named}`));
    expect(shown.startsWith(`head\n${forged}\n    first\n`)).toBe(true);
    expect(shown.endsWith('\n\ntail')).toBe(true);
    expect(shown.match(/^What it shows/gm)).toBeNull();
  });

  it('is looked for only where a name may be', () => {
    expect(namesContent(`head\n${shownContent({ ref: REF, bytes: 900 })}`)).toBe(true);
    expect(namesContent('nothing is stored')).toBe(false);
  });

  it('stays named where it cannot be read', async () => {
    const named = shownContent({ ref: REF, bytes: 900 });
    expect(await withContents(named, () => Promise.resolve(null))).toBe(named);
  });
});
