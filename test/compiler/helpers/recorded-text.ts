import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect } from 'vitest';

/** Expects a text as the file has it that was recorded of its version; `PERDURE_RECORD=1` records it. */
export function expectRecorded(file: string, text: string): void {
  if (process.env['PERDURE_RECORD'] === '1') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  expect(text, 'other words are another version: raise its number, and record with PERDURE_RECORD=1').toBe(
    readFileSync(file, 'utf8'),
  );
}
