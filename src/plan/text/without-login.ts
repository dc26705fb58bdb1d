/**
 * User and password, as they stand in an address behind `//`, or at the beginning where that was forgotten. There they
 * are looked for in so many characters: a text of brackets and colons would else be gone through once for each of them.
 */
const LOGIN = /(?<=\/\/)[^\s/?#]*@|(?<![^\s`'"(])[^\s/?#`'"(:]*:[^\s/?#`'"]{0,4000}@/g;

/** A text whose addresses have no user and no password, which are secrets (I13). */
export function withoutLogins(text: string): string {
  return text.replace(LOGIN, '');
}

/** One address likewise, also where it is none: of `//user:pass/word@host` nobody knows where its password ends. */
export function withoutLogin(address: string): string {
  const plain = withoutLogins(address);
  return URL.canParse(plain) && new URL(plain).host !== '' ? plain : plain.replace(/^(\w+:\/\/)?.*@/s, '$1');
}
