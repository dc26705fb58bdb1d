import { describe, expect, it } from 'vitest';
import { CURRICULUM, lessonsAt } from '../../../src/plan/narration/curriculum.js';
import type { Happening } from '../../../src/plan/narration/happening.js';
import { happening } from './happenings.js';

const about = (of: Partial<Happening['about']>): Pick<Happening, 'about'> => ({ about: { step: 'agent', ...of } });

describe('the curriculum', () => {
  it.each<[concept: string, occasion: string, Happening]>([
    ['source-control', 'a commit', happening('committed')],
    ['testing', 'tests that passed', happening('completed', about({ step: 'tool', tool: 'run_tests' }))],
    ['testing', 'tests that could not run', happening('failed', about({ step: 'tool', tool: 'run_tests' }))],
    ['decomposition', 'a plan that begins', happening('started', about({ step: 'plan' }))],
    ['code-review', 'a verdict', happening('completed', about({ verdict: true }))],
    ['architecture', 'the first task of a build is done', happening('completed', about({ first: true }))],
    ['gpio', 'a task about an LED', happening('started', { name: 'Blink the LED', ...about({ hardware: true }) })],
    [
      'gpio',
      'a task whose description names a pin',
      happening('started', about({ hardware: true, description: 'Read pin 4.' })),
    ],
    ['lora', 'a task about LoRa', happening('started', { name: 'Send by LoRa' })],
    ['lora', 'a task whose description names LoRaWAN', happening('started', about({ description: 'Join LoRaWAN.' }))],
    ['compilation', 'code that was compiled', happening('completed', about({ step: 'compile' }))],
    ['compilation', 'code that does not compile', happening('failed', about({ step: 'compile' }))],
    ['flashing', 'a board that was flashed', happening('completed', about({ step: 'flash' }))],
  ])('teaches %s at %s', (concept, _occasion, given) => {
    expect(lessonsAt(given).map((lesson) => lesson.concept)).toEqual([concept]);
  });

  it.each<[string, Happening]>([
    ['a button of a page', happening('started', { name: 'Add a button' })],
    ['a command that ends', happening('completed', about({ step: 'command' }))],
    ['a second task that is done', happening('completed')],
    ['a flash that begins', happening('started', about({ step: 'flash' }))],
    ['a plan that is made', happening('completed', about({ step: 'plan' }))],
    ['a first task that begins', happening('started', about({ first: true }))],
    [
      'a task about an LED that is done',
      happening('completed', { name: 'Blink the LED', ...about({ hardware: true }) }),
    ],
    ['a task about LoRa that is done', happening('completed', { name: 'Send by LoRa' })],
    ['a review that begins', happening('started', about({ verdict: true }))],
  ])('teaches nothing at %s', (_occasion, given) => {
    expect(lessonsAt(given)).toEqual([]);
  });

  it.each([
    'GPIO',
    'an LED',
    'leds',
    'a pin',
    'pins',
    'a button',
    'buttons',
    'a buzzer',
    'relays',
    'blink',
    'blinking',
  ])('knows that %s has to do with pins', (name) => {
    expect(lessonsAt(happening('started', { name, ...about({ hardware: true }) }))).toHaveLength(1);
  });

  it.each(['a spinner', 'red', 'a pinned page', 'buttonless'])('knows that %s has not', (name) => {
    expect(lessonsAt(happening('started', { name, ...about({ hardware: true }) }))).toEqual([]);
  });

  it('has each concept once, and all of its texts are short', () => {
    expect(new Set(CURRICULUM.map(({ concept }) => concept)).size).toBe(9);
    for (const { headline, explanation, tell_me_more } of CURRICULUM) {
      expect(headline.length).toBeLessThanOrEqual(60);
      expect(explanation.length).toBeLessThanOrEqual(200);
      expect(tell_me_more.length).toBeLessThanOrEqual(400);
    }
  });
});
