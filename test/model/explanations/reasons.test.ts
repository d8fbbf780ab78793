import { describe, expect, it } from 'vitest';
import { readSourceFiles } from '../../../scripts/source-files.ts';
import { REASONS } from '../../../shared/model/explanations/reasons.ts';

const sources = readSourceFiles('shared/*.ts', 'cli/*.ts', 'console/*.ts')
  .filter(({ path }) => path !== 'shared/model/explanations/reasons.ts')
  .map(({ text }) => text);

describe('the table of reasons', () => {
  it.each(Object.keys(REASONS))('contains %s, which some source file gives', (code) => {
    const given = new RegExp(`(?<!readonly )\\bcode: [^;{}]{0,80}'${code}'`);

    expect(sources.some((text) => given.test(text))).toBe(true);
  });
});
