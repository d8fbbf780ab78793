import { glob, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { GROUPS, NOT_APPLICABLE } from './not-applicable.ts';

const ROOT = new URL('../', import.meta.url);

/** Where a title may bear a number of the catalogue: other folders have numbers of their own. */
const FOLDERS = '{scheduling,vectors,controllers,disruption,model,lifecycle,functions}';

async function titles(): Promise<string> {
  const texts: string[] = [];
  for await (const path of glob(`${FOLDERS}/**/*.ts`, { cwd: ROOT })) {
    if (path.endsWith('not-applicable.ts')) continue;
    texts.push(await readFile(new URL(path, ROOT), 'utf8'));
  }
  return texts.join('\n');
}

const numbersOf = (group: string): string[] => {
  const { count, free } = GROUPS[group] ?? { count: 0, free: [] };
  return Array.from({ length: count }, (_, index) => index + 1)
    .filter((number) => !free.includes(number))
    .map((number) => `${group}${`${number}`.padStart(2, '0')}`);
};

const text = await titles();

const shown = new Set([...text.matchAll(/\b[A-Z]{1,2}\d\d\b/g)].map(([number]) => number));

describe.each(Object.keys(GROUPS))('scenarios %s of the catalogue', (group) => {
  it('are each shown by a test that bears the number, or said not to apply', () => {
    const silent = numbersOf(group).filter(
      (number) => !shown.has(number) && NOT_APPLICABLE[number] === undefined,
    );

    expect(silent).toEqual([]);
  });

  it('apply once a test shows them', () => {
    expect(
      numbersOf(group).filter((number) => shown.has(number) && NOT_APPLICABLE[number]),
    ).toEqual([]);
  });
});

it('what does not apply has a number of the catalogue, and a reason', () => {
  const numbers = new Set(Object.keys(GROUPS).flatMap(numbersOf));

  expect(Object.keys(NOT_APPLICABLE).filter((number) => !numbers.has(number))).toEqual([]);
  expect(Object.values(NOT_APPLICABLE).filter((reason) => reason.length < 20)).toEqual([]);
});
