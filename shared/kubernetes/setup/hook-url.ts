import { createHash } from 'node:crypto';

/** An address that no hook may have. */
export class HookUrlError extends Error {
  override readonly name = 'HookUrlError';
  readonly isRetriable = false;

  /** @param why - must not hold the address: its path is a secret */
  constructor(why: string) {
    super(`the address of the hooks ${why}`);
  }
}

/** The token stands in the path, for the API server takes it nowhere else. */
export const hookPath = (cluster: string, token: string): string => `/h/${cluster}/${token}`;

/** What the intake knows of a token: enough to recognize it, too little to make it. SHA-256, hex. */
export const digestPath = (path: string): string => createHash('sha256').update(path).digest('hex');

/** @param address - where the intake is: `https://host/`; it may have a path of its own */
export function hookUrl(address: string, path: string): string {
  const url = `${address.replace(/\/+$/, '')}${path}`;
  checkHookUrl(url);
  return url;
}

/**
 * The API server's own rules, told before it says no.
 *
 * @throws HookUrlError
 */
export function checkHookUrl(text: string): void {
  if (!URL.canParse(text)) throw new HookUrlError('is no URL');
  const { protocol, username, password, search, hash } = new URL(text);
  if (protocol !== 'https:') throw new HookUrlError('must begin with https://');
  if (username !== '' || password !== '') throw new HookUrlError('must not name a user');
  // An empty query or fragment is one, too, and does not show in `search` and `hash`.
  if (search !== '' || text.includes('?')) throw new HookUrlError('must not have a query');
  if (hash !== '' || text.includes('#')) throw new HookUrlError('must not have a fragment');
}
