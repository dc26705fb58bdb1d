import type { Options, OptionSpec } from './command.js';

/** From where what a command serves can be reached. */
export const REACH_OPTIONS: OptionSpec[] = [
  { flags: '--port <n>', about: 'port to listen at; one that is free by default' },
  { flags: '--listen <address>', about: 'address to listen at; 127.0.0.1 by default' },
  { flags: '--public-url <url>', about: 'the `https://` address by which others reach it' },
  { flags: '--trusted-proxy <address>', about: 'IP address of the proxy that ends TLS for `--public-url`' },
  { flags: '--tls-cert <file>', about: 'certificate, to end TLS here' },
  { flags: '--tls-key <file>', about: 'its key' },
];

/** What these options say, as they were typed. */
export function reachOptions(options: Options) {
  return {
    port: options.text('port'),
    listen: options.text('listen'),
    publicUrl: options.text('public-url'),
    trustedProxy: options.text('trusted-proxy'),
    tlsCert: options.text('tls-cert'),
    tlsKey: options.text('tls-key'),
  };
}
