import { createHash } from 'node:crypto';

/** The webhook address is not allowed. */
export class HookUrlError extends Error {
  override readonly name = 'HookUrlError';
  readonly isRetriable = false;

  /**
   * @param why - must not contain the address: its path is a secret
   */
  constructor(why: string) {
    super(`the address of the hooks ${why}`);
  }
}

/** The token is part of the path: the API server sends it nowhere else. */
export const hookPath = (cluster: string, token: string): string => `/h/${cluster}/${token}`;

/**
 * SHA-256 of the path, hex. The event intake recognises a token by it and cannot derive the token
 * from it.
 */
export const digestPath = (path: string): string => createHash('sha256').update(path).digest('hex');

/**
 * @param address - of the event intake: `https://host/`; it may have a path
 */
export function hookUrl(address: string, path: string): string {
  const url = `${address.replace(/\/+$/, '')}${path}`;
  checkHookUrl(url);
  return url;
}

/**
 * Checks the API server's own rules before the API server refuses the address.
 *
 * @throws HookUrlError
 */
export function checkHookUrl(text: string): void {
  if (!URL.canParse(text)) throw new HookUrlError('is no URL');
  const { protocol, username, password, search, hash } = new URL(text);
  if (protocol !== 'https:') throw new HookUrlError('must begin with https://');
  if (username !== '' || password !== '') throw new HookUrlError('must not name a user');
  // An empty query or fragment also counts, and does not appear in `search` and `hash`.
  if (search !== '' || text.includes('?')) throw new HookUrlError('must not have a query');
  if (hash !== '' || text.includes('#')) throw new HookUrlError('must not have a fragment');
}
