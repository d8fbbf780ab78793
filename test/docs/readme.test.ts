import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { demoTable } from './readme/demo-table.ts';
import { readSection } from './readme/sections.ts';

it('The README lists the scenes of the demo as the playground plays them.', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  expect(readSection(readme, 'demo')).toBe(demoTable());
});
