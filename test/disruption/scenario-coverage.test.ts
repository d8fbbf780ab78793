import { promises as fs } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SCENARIO_GAPS } from './scenario-gaps.ts';

const SCENARIOS = 190;
/** Where decisions to remove nodes are tested, and what they rest on. */
const FOLDERS = ['disruption', 'controllers', 'contracts', 'lifecycle'];
/** `22.4-62`, `22.5-79, 80`, `22.4-67 to 69`. */
const NUMBERS = /22\.\d+-(\d+(?:(?:, | to )\d+(?![.\d]))*)/g;

/** The numbers that a text bears. */
const numbersIn = (text: string): readonly number[] =>
  [...text.matchAll(NUMBERS)].flatMap(([, list = '']) =>
    list.split(', ').flatMap((part) => {
      const [from = 0, to = from] = part.split(' to ').map(Number);
      return Array.from({ length: to - from + 1 }, (_, index) => from + index);
    }),
  );

async function shown(): Promise<ReadonlySet<number>> {
  const texts = FOLDERS.map(async (folder) => {
    const root = new URL(`../${folder}/`, import.meta.url);
    const files = (await fs.readdir(root, { recursive: true })).filter(
      (file) => file.endsWith('.ts') && !file.startsWith('scenario-'),
    );
    return Promise.all(files.map((file) => fs.readFile(new URL(file, root), 'utf8')));
  });
  return new Set((await Promise.all(texts)).flat().flatMap(numbersIn));
}

describe('scenarios of disruption', async () => {
  const known = await shown();
  const all = Array.from({ length: SCENARIOS }, (_, index) => index + 1);
  const gaps = Object.keys(SCENARIO_GAPS).map(Number);

  it('are each shown by a test, or named as a gap', () => {
    expect(all.filter((number) => !known.has(number) && !gaps.includes(number))).toEqual([]);
  });

  it('are no gap once a test shows them', () => {
    expect(gaps.filter((number) => known.has(number))).toEqual([]);
  });

  it('are read from titles, alone, in lists and in ranges', () => {
    expect(numbersIn('22.4-62: a, 22.5-79, 80: b (22.7-113 to 115)')).toEqual([
      62, 79, 80, 113, 114, 115,
    ]);
  });
});
