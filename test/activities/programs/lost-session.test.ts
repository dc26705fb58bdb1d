import { expect, it } from 'vitest';
import { playStep } from '../../tools/programs/bench.js';
import { result, standIn } from '../../tools/programs/stand-in.js';

it('a program that has lost its session is told its task again with what was wrong with its answer', async () => {
  const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const bench = await standIn(
    'claude',
    [result(0.5, { result: '{"m": 1}' })],
    [result(0, { is_error: true, result: 'No conversation found with session ID: x' })],
    [result(0.25, { result: '{"n": 1}' })],
  );
  const { output, spend } = await playStep(bench, 'claude', { prompt: 'Count the files.', schema });
  expect(output).toEqual({ value: { n: 1 } });
  expect(spend.usd).toBe(0.75);
  expect(await bench.read(2)).not.toContain('Count the files.');
  const again = await bench.read(3);
  expect(again).toContain('Count the files.');
  expect(again).toContain("required property 'n'");
});
