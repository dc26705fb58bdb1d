import { NOT_FOR_TOOLS } from '../../plan/tools/tool-request.js';
import type { Reach } from './reach.js';
import { hostOf, isLoopback, plainAddress } from './reach.js';

/** What of a request says where it comes from. */
export interface Origins {
  /** The header; absent where there is none. */
  host: string | undefined;
  /** `X-Forwarded-Proto`. */
  forwardedProto: string | undefined;
  /** Address of whoever has connected. */
  remote: string | undefined;
  /** `TOOL_HEADER`. */
  tool: string | undefined;
}

/** The way a request came: by which origin its pages know themselves, or why it gets nothing. */
export type Entrance = { kind: 'open'; origin: string } | { kind: 'refused'; why: string };

/**
 * Judges by which name a request came. A page elsewhere that has made a name of its own mean this machine (DNS
 * rebinding) gets nothing, nor does who goes around the proxy, nor a tool.
 */
export function judgeEntrance(reach: Reach, port: number, { host, forwardedProto, remote, tool }: Origins): Entrance {
  if (tool !== undefined) return { kind: 'refused', why: NOT_FOR_TOOLS };
  const own = reach.tls === null ? 'http' : 'https';
  const local = isLoopback(reach.listen)
    ? ['127.0.0.1', 'localhost', '[::1]', hostOf(reach.listen)].map((name) => `${own}://${name}:${port}`)
    : [];
  const origin = local.find((one) => one === `${own}://${host ?? ''}`);
  if (origin !== undefined) return { kind: 'open', origin };
  const { publicOrigin, trustedProxy } = reach;
  if (publicOrigin === null || host !== new URL(publicOrigin).host)
    return { kind: 'refused', why: 'This address is not one of its names.' };
  if (trustedProxy !== null && plainAddress(remote ?? '') !== trustedProxy)
    return { kind: 'refused', why: 'This came around the proxy that is trusted.' };
  if (trustedProxy !== null && forwardedProto !== 'https')
    return { kind: 'refused', why: 'This came to the proxy without TLS.' };
  return { kind: 'open', origin: publicOrigin };
}
