import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/**
 * True if a page of this server sent the request. A foreign site that resolves to loopback (DNS
 * rebinding) sends its own Host header, a foreign page its own Origin header.
 */
export function isLocalRequest({ headers, method }: IncomingMessage, port: number): boolean {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const { host, origin } = headers;
  if (host === undefined || !hosts.includes(host)) return false;
  if (origin === undefined) return method === 'GET' || method === 'HEAD' || method === 'POST';
  return hosts.some((name) => origin === `http://${name}`);
}

/**
 * Compares in constant time, so that the response time does not reveal how much of a guess is
 * correct.
 */
export function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const given = headers['x-mortise-token'];
  if (typeof given !== 'string') return false;
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Allows only content of this server. Styles inserted by scripts need the nonce; React Aria inserts
 * one rule.
 */
export const contentSecurityPolicy = (nonce: string): string =>
  [
    "default-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ');

export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
