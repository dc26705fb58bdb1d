import type { Store } from '../store/store.js';
import type { PriceTable } from './models/prices.js';

/** Variables by which model providers are reached; the host holds them in memory only (I13). */
export const CREDENTIALS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'OLLAMA_HOST', 'OPENAI_API_KEY'] as const;

/** Gives the provider variables as they are now: a host gets them from the CLI that joined it. */
export type Credentials = () => Record<string, string | undefined>;

/** Everything activities need from outside: the one seam where tests put other things in. */
export interface Dependencies {
  store: Store;
  credentials: Credentials;
  /** Prices that go before the built-in table (`models.prices` of the config). */
  prices?: PriceTable;
}
