import { describe, expect, it } from 'vitest';
import { readSourceFiles } from '../../../scripts/source-files.ts';

const MODEL = 'shared/model/explanations/events.ts';
/** The parts that observe and act; all others format, store or count events. */
const RECORDERS = ['shared/controllers/*.ts', 'shared/lifecycle/*.ts', 'shared/simulation/*.ts', 'cli/*.ts'];

const declaration = readSourceFiles(MODEL).map(({ text }) => text);
const kinds = declaration.flatMap((text) =>
  [...text.matchAll(/readonly kind: '([a-z-]+)'/g)].flatMap(([, kind]) => kind ?? []),
);
const recorders = readSourceFiles(...RECORDERS).map(({ text }) => text);

describe('the kinds of cluster events', () => {
  it('are all found in the declaration', () => {
    expect(kinds.length).toBe(declaration.join('').split('readonly kind:').length - 1);
  });

  it.each(kinds)('contain %s, which some source file records', (kind) => {
    const recorded = new RegExp(`(?<!readonly )\\bkind: [^;{}]{0,80}'${kind}'`);

    expect(recorders.some((text) => recorded.test(text))).toBe(true);
  });
});
