/**
 * Versions of one kind are numbers that grow. What is none is taken for older than anything.
 *
 * @see kubernetes, KEP-5504
 */
export function isOlder(version: string | undefined, other: string): boolean {
  const [own, theirs] = [Number(version), Number(other)];
  return Number.isNaN(own) || Number.isNaN(theirs) || own < theirs;
}
