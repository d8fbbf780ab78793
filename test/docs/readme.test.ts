import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { demoTable } from './readme/demo-table.ts';
import { readSection, withoutIndent } from './readme/sections.ts';

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

it('The README lists the scenes of the demo as the playground plays them.', () => {
  expect(readSection(read('README.md'), 'demo')).toBe(demoTable());
});

it('All pages that give the time from a pod to the request to EC2 give it in the same words.', () => {
  const pages = ['README.md', 'docs/README.md', 'docs/faq.md', 'docs/guides/keda.md'];
  const words = 'usually within a second, and within about two seconds after idle time';
  const without = pages.filter((page) => !read(page).replaceAll(/\s+/g, ' ').includes(words));

  expect(without).toEqual([]);
});

it('The README and the reference of the command show the same simulated day.', () => {
  const day = withoutIndent(readSection(read('README.md'), 'day'));

  expect(read('docs/reference/cli.md')).toContain(day);
});
