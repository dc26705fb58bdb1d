import { setTimeout as pause } from 'node:timers/promises';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import { createKeyRing, named } from '../../store/encryption/key-ring.js';
import { UnavailableError } from '../errors.js';

/** A command that started a host joins it within so long, or it was killed. */
const WAIT_MS = 30_000;

/** The keys of a host: it has them from its start on, or the command that started it brings them, in memory only. */
export class HostKeys {
  readonly #wanted: readonly string[];
  #ring: KeyRing | null;
  #came = (): void => undefined;
  readonly #coming = new Promise<void>((resolve) => (this.#came = resolve));

  constructor(given: KeyRing | null | { wanted: readonly string[] }) {
    const isRing = given !== null && 'seal' in given;
    this.#ring = isRing ? given : null;
    this.#wanted = given !== null && 'wanted' in given ? given.wanted : [];
  }

  /** Takes what a command brings, where these are the keys that are waited for. */
  take(secrets: readonly string[]): void {
    if (this.#ring !== null || this.#wanted.length === 0 || secrets.length === 0) return;
    const ring = createKeyRing(secrets.map((secret) => Buffer.from(secret, 'base64')));
    if (ring.ids.join() !== this.#wanted.join()) return;
    this.#ring = ring;
    this.#came();
  }

  now(): KeyRing | null {
    return this.#ring;
  }

  /** Waits for them. Throws an UnavailableError where nobody brings them. */
  async wait(signal: AbortSignal): Promise<KeyRing | null> {
    if (this.#ring !== null || this.#wanted.length === 0) return this.#ring;
    await Promise.race([this.#coming, pause(WAIT_MS, undefined, { signal, ref: false })]);
    if (this.#ring === null)
      throw new UnavailableError(`No command has brought the keys ${named(this.#wanted)} of \`encryption\`.`);
    return this.#ring;
  }
}
