import { describe, expect, it } from 'vitest';
import { MOST_ATTACHED_BYTES, attachedTokens, mediaOf } from '../../../src/plan/values/attached-media.js';

const pages = (count: number): string => `<< /Type /Pages /Kids [1 0 R] /Count ${count} >>`;

describe('a file that a model is shown', () => {
  it.each([
    ['%PDF-1.7\n', 'application/pdf'],
    ['\x89PNG\r\n\x1a\n\0', 'image/png'],
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['GIF87a...', 'image/gif'],
    ['GIF89a...', 'image/gif'],
    ['GIF88a...', null],
    [' GIF89a..', null],
    ['RIFF\x01\x02\x03\x04WEBPVP8 ', 'image/webp'],
    ['RIFF\x01\x02\x03\x04WAVEfmt ', null],
    ['RIFX\x01\x02\x03\x04WEBPVP8 ', null],
    ['RIFF\x01\x02\x03\x04\x05WEBP', null],
    [' %PDF-1.7', null],
    ['\x89PNX\r\n\x1a\n', null],
    ['\xff\xd8\xfe', null],
    ['# text', null],
    ['', null],
  ])('%j is %s', (content, media) => {
    expect(mediaOf(content)).toBe(media);
  });

  it('has the tokens of one image, up to 5 MB', () => {
    expect(attachedTokens('x'.repeat(5_000_000), 'image/png')).toEqual({ tokens: 5_000 });
    expect(attachedTokens('x'.repeat(5_000_001), 'image/gif')).toEqual({
      failure: 'Expected an image of at most 5 MB.',
    });
    expect(MOST_ATTACHED_BYTES).toBeGreaterThan(5_000_000);
  });

  it('has the tokens of the pages that a PDF says it has, as its outermost tree says', () => {
    expect(attachedTokens(pages(3), 'application/pdf')).toEqual({ tokens: 15_000 });
    expect(attachedTokens(`${pages(3)}\n${pages(12)}\n${pages(9)}`, 'application/pdf')).toEqual({ tokens: 60_000 });
    expect(attachedTokens('/Type/Pages\n/Count 2', 'application/pdf')).toEqual({ tokens: 10_000 });
    expect(attachedTokens(pages(600), 'application/pdf')).toEqual({ tokens: 3_000_000 });
    expect(attachedTokens(pages(601), 'application/pdf')).toEqual({
      failure: 'Expected a PDF of at most 600 pages, got 601.',
    });
  });

  it('has as many as fit into its bytes where its pages cannot be counted', () => {
    expect(attachedTokens('', 'application/pdf')).toEqual({ tokens: 5_000 });
    expect(attachedTokens('x'.repeat(2_000), 'application/pdf')).toEqual({ tokens: 5_000 });
    expect(attachedTokens('x'.repeat(2_001), 'application/pdf')).toEqual({ tokens: 10_000 });
    expect(attachedTokens('x'.repeat(2_000_000), 'application/pdf')).toEqual({ tokens: 3_000_000 });
    expect(attachedTokens(`/Type /Pages ${'x'.repeat(300)} /Count 9`, 'application/pdf')).toEqual({ tokens: 5_000 });
    expect(attachedTokens('/Type /PagesX /Count 9', 'application/pdf')).toEqual({ tokens: 5_000 });
    // Its true tree of pages may be packed beside one that is not used.
    const packed = `${pages(1)} /Type /ObjStm ${'x'.repeat(8_000)}`;
    expect(attachedTokens(packed, 'application/pdf')).toEqual({ tokens: 25_000 });
  });
});
