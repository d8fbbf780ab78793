import type { KeyRange } from '../../ports/planning-state.ts';

/** All keys have the same length, so that no other key is between a key and this end. */
export const rangeOf = (key: string): KeyRange => ({ from: key, to: `${key}~` });

export const isWithin = (key: string, { from, to }: KeyRange): boolean => key >= from && (to === undefined || key < to);

export const listRemainder = ({ to: end }: KeyRange, { to }: KeyRange): readonly KeyRange[] =>
  to === undefined || to === end ? [] : [end === undefined ? { from: to } : { from: to, to: end }];

/** The ranges between the given ones. */
export function listGaps(ranges: readonly KeyRange[]): readonly KeyRange[] {
  const gaps: KeyRange[] = [];
  let from: string | undefined = '';
  for (const range of ranges.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    if (from !== undefined && from < range.from) gaps.push({ from, to: range.from });
    from = range.to;
  }
  return from === undefined ? gaps : [...gaps, { from }];
}
