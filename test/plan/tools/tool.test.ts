import { expect, it } from 'vitest';
import { BUILTIN_TOOLS, QUICK_TOOLS, isBounded, runsPrograms } from '../../../src/plan/tools/tool.js';

it('knows which tools run a program that a call names', () => {
  expect(BUILTIN_TOOLS.filter(runsPrograms)).toEqual(['shell', 'build_project', 'run_tests', 'start_program']);
  expect(runsPrograms('deploy')).toBe(false);
});

it('knows which calls take a moment however large a workspace is: none that runs, fetches or looks through all', () => {
  expect(BUILTIN_TOOLS.filter(isBounded)).toEqual([
    'read_file',
    'write_file',
    'edit_file',
    'keep_context',
    'memory_search',
  ]);
  expect(QUICK_TOOLS.filter(runsPrograms)).toEqual([]);
});
