import { createHash, timingSafeEqual } from 'node:crypto';

export type Doorkeeper = (path: string) => boolean;

/**
 * Lets in who names the cluster and one of its tokens: `/h/<cluster>/<token>`. Digests are compared,
 * all of them and in full, so that the time that it takes tells nothing.
 */
export function doorkeeper(cluster: string, tokens: readonly string[]): Doorkeeper {
  const digests = tokens.map((token) => digestOf(`/h/${cluster}/${token}`));

  return (path) => {
    const digest = digestOf(path);
    return digests.map((known) => timingSafeEqual(known, digest)).includes(true);
  };
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
