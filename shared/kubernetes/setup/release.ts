/** The release that these manifests are of; the same as in package.json. */
export const RELEASE = '0.1.0';

/** Newer by its numbers; what follows a `-` is not compared. */
export function isNewer(release: string, than: string): boolean {
  const [a, b] = [numbersOf(release), numbersOf(than)];
  const index = a.findIndex((number, at) => number !== (b[at] ?? 0));
  return index >= 0 && (a[index] ?? 0) > (b[index] ?? 0);
}

const numbersOf = (release: string): readonly number[] =>
  (release.split('-')[0] ?? '').split('.').map(Number);
