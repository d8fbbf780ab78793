import { describe, expect, it } from 'vitest';
import { countTokens, measureParts } from '../../scripts/check-size.ts';

const files = [
  { path: 'functions/plan.ts', text: "import { a } from '../shared/a.ts';\na();\n" },
  { path: 'shared/a.ts', text: "import type { B } from './b.ts';\nexport const a = (): B => 1;\n" },
  { path: 'shared/b.ts', text: "export type { C } from './a.ts';\nexport type B = number;\n" },
  { path: 'shared/unused.ts', text: 'export const c = 1;\n' },
];

const sizeOf = (budget: { readonly folders?: readonly string[]; readonly entry?: string }): number | undefined =>
  measureParts(files, [{ part: 'part', tokens: 0, ...budget }])[0]?.size;

describe('the size of a part', () => {
  it('counts neither comments nor layout', () => {
    expect(countTokens({ path: 'a.ts', text: '/** Why. */\nconst a =\n  1; // one\n' })).toBe(5);
  });

  it('is that of its folders', () => {
    expect(sizeOf({ folders: ['shared'] })).toBe(39);
    expect(sizeOf({ folders: ['.'] })).toBe(50);
  });

  it('is that of all files which an entry imports, each once, types included', () => {
    expect(sizeOf({ entry: 'functions/plan.ts' })).toBe(44);
  });
});
