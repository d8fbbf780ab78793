import { createHash } from 'node:crypto';

/** A number from 0 up to 1 that follows from the text alone: a run can be repeated. */
export function seeded(...parts: readonly (string | number)[]): number {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  return digest.readUInt32BE(0) / 2 ** 32;
}
