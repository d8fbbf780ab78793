import { timingSafeEqual } from 'node:crypto';
import { digestPath } from '../../shared/kubernetes/setup/hook-url.ts';

export type HookTokenVerifier = (path: string) => boolean;

/**
 * Accepts a path that names the cluster and one of its tokens. Only digests of such paths are kept.
 * Each digest is compared in full and in constant time, so that the response time reveals nothing.
 *
 * @param digests - SHA-256 in hex
 */
export function createHookTokenVerifier(digests: readonly string[]): HookTokenVerifier {
  const accepted = digests.map((digest) => Buffer.from(digest, 'hex')).filter(isDigest);

  return (path) => {
    const digest = Buffer.from(digestPath(path), 'hex');
    return accepted.map((other) => timingSafeEqual(other, digest)).includes(true);
  };
}

const DIGEST_BYTES = 32;

const isDigest = ({ length }: Buffer): boolean => length === DIGEST_BYTES;
