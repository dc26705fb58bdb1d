import { describe, expect, it } from 'vitest';
import { isMailServer, isMailbox, mailServerAt } from '../../../src/plan/gates/mail-way.js';

describe('the address of a mail server', () => {
  it.each<[string, ReturnType<typeof mailServerAt>]>([
    ['smtp://mail.example', { host: 'mail.example', port: 587, secure: false, isHere: false }],
    ['smtps://mail.example', { host: 'mail.example', port: 465, secure: true, isHere: false }],
    ['smtp://mail.example:2525', { host: 'mail.example', port: 2525, secure: false, isHere: false }],
    ['smtp://LOCALHOST:1', { host: 'LOCALHOST', port: 1, secure: false, isHere: true }],
    ['smtp://127.0.0.1:65535', { host: '127.0.0.1', port: 65_535, secure: false, isHere: true }],
    ['smtps://[::1]', { host: '::1', port: 465, secure: true, isHere: true }],
    ['smtp://[2001:db8::2]:25', { host: '2001:db8::2', port: 25, secure: false, isHere: false }],
    ['smtp://localhost.evil.example', { host: 'localhost.evil.example', port: 587, secure: false, isHere: false }],
  ])('%s is read', (written, at) => {
    expect(mailServerAt(written)).toEqual(at);
    expect(isMailServer(written)).toBe(true);
  });

  it.each([
    'mail.example',
    'http://mail.example',
    'smtpx://mail.example',
    'see smtp://mail.example',
    'smtp://mail.example/path',
    'smtp://ana:secret@mail.example',
    'smtp://mail.example:0',
    'smtp://mail.example:65536',
    'smtp://mail.example:',
    'smtp://mail.example:123456',
    'smtp://mail.example:x',
    'smtp://[::1',
    'smtp://[zz]',
    'smtp://',
    '',
  ])('%j is none', (written) => {
    expect(mailServerAt(written)).toBeNull();
    expect(isMailServer(written)).toBe(false);
    expect(isMailServer(written, 'of this machine')).toBe(false);
  });

  it.each<[string, boolean]>([
    ['smtp://localhost', true],
    ['smtp://[::1]:25', true],
    ['smtps://localhost', false],
    ['smtp://mail.example', false],
  ])('%s may be spoken to without TLS: %s', (written, may) => {
    expect(isMailServer(written, 'of this machine')).toBe(may);
  });
});

describe('a mail address', () => {
  it.each<[string, boolean]>([
    ['ana@example.org', true],
    ["o'neil+runs@mail-1.example.org", true],
    ['root@localhost', true],
    [`${'a'.repeat(64)}@example.org`, true],
    [`${'a'.repeat(65)}@example.org`, false],
    [`a@${'b'.repeat(252)}`, true],
    [`a@${'b'.repeat(253)}`, false],
    ['ana', false],
    ['@example.org', false],
    ['ana@', false],
    ['ana@example.org.', false],
    ['ana@example..org', false],
    ['ana@example.org, bo@example.org', false],
    ['ana@example.org\nBcc: eve@example.org', false],
    ['Ana <ana@example.org>', false],
    ['ana@bo@example.org', false],
  ])('%j is one and nothing else: %s', (written, isOne) => {
    expect(isMailbox(written)).toBe(isOne);
  });
});
