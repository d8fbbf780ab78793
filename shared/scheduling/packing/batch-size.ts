const SMALL_PODS = 500;

/**
 * Whether so many pods are a small batch: each of its nodes is a remainder, so that much is tried for
 * it. Large ones fill whole nodes whichever way they are taken, and trying costs more.
 */
export const isSmall = (pods: number): boolean => pods <= SMALL_PODS;
