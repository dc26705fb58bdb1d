import { expect, it } from 'vitest';
import { agentName } from '../../../src/plan/builds/agent-name.js';
import { latinOf } from '../../../src/plan/text/latin.js';

it.each([
  ['Émile', 'Emile'],
  ['E\u0301mile', 'Emile'],
  ['Straße Łódź Æon', 'Strasse Lodz Aeon'],
  ['ﬁne №', 'fine No'],
  ['Часы', 'Часы'],
  ['a→b', 'a→b'],
])('%j is %j in names', (text, expected) => {
  expect(latinOf(text)).toBe(expected);
});

it('names the agent of a build after all letters of its name', () => {
  expect(agentName('Zoé & René', 0)).toBe('task-zoe-rene-1');
});
