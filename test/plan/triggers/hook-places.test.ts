import { expect, it } from 'vitest';
import { takePlace } from '../../../src/plan/triggers/hook-places.js';

const places = [
  { starter: 'a', at: '1' },
  { starter: 'b', at: '2' },
];
const wish = { starter: 'c', at: '3', most: 3, ended: [] };

it.each([
  ['is given where one is free', wish, true, [...places, { starter: 'c', at: '3' }]],
  ['is not given where all are taken', { ...wish, most: 2 }, false, places],
  [
    'is given in place of one that has ended',
    { ...wish, most: 2, ended: ['a'] },
    true,
    [places[1], { starter: 'c', at: '3' }],
  ],
  ['is not given where too few have ended', { ...wish, most: 1, ended: ['a'] }, false, [places[1]]],
  ['is kept by who has it, though all are taken', { ...wish, starter: 'b', most: 1 }, true, places],
  ['is kept by who has it, though it is said to have ended', { ...wish, starter: 'b', ended: ['b'] }, true, places],
])('a place of a hook %s', (_, wished, isTaken, left) => {
  expect(takePlace(places, wished)).toEqual({ isTaken, places: left });
});
