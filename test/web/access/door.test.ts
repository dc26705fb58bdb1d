import { expect, it } from 'vitest';
import { createDoor } from '../../../src/web/access/door.js';

const HOUR_MS = 60 * 60_000;

it('a link signs its person in once', () => {
  const door = createDoor();
  const link = door.invite('ana');
  const session = door.enter(link);
  expect(door.personOf(session ?? '')).toBe('ana');
  expect(door.enter(link)).toBeNull();
});

it('a link is of no use after an hour, and a session after a week', () => {
  let now = 0;
  const door = createDoor(() => now);
  const late = door.invite('ana');
  const session = door.enter(door.invite('ana')) ?? '';
  now = HOUR_MS;
  expect(door.enter(late)).toBeNull();
  expect(door.personOf(session)).toBe('ana');
  now = 7 * 24 * HOUR_MS;
  expect(door.personOf(session)).toBeNull();
});

it('nobody has a session that was left, or that was never given', () => {
  const door = createDoor();
  const session = door.enter(door.invite('ana')) ?? '';
  door.leave(session);
  expect([session, '', 'x'.repeat(43)].map((one) => door.personOf(one))).toEqual([null, null, null]);
  expect(door.enter('')).toBeNull();
});
