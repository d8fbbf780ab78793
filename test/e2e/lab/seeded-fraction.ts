import { createHash } from 'node:crypto';

/** Returns a number in [0, 1) that depends on the arguments only, so that a run can be repeated. */
export function seededFraction(...parts: readonly (string | number)[]): number {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  return digest.readUInt32BE(0) / 2 ** 32;
}
