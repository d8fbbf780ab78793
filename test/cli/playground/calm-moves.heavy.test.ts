import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { simulateHour } from './calm-moves.ts';

const EXAMPLES = fileURLToPath(new URL('../../../examples/', import.meta.url));
const folders = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `examples/${name}`);

describe('the first hour of every example', () => {
  it.each(folders)('moves no pods in %s that an operator would leave alone', async (folder) => {
    expect((await simulateHour(folder)).churn).toEqual([]);
  });
});
