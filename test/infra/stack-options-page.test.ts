import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readOptions } from '../../infra/options/read-options.ts';

const page = readFileSync('docs/reference/stack-options.md', 'utf8');
const names = new Set<string>();
readOptions((name) => {
  names.add(name);
  return name === 'cluster' ? 'demo' : undefined;
}, {});

describe('the page of options', () => {
  it.each([...names])('has a row for %s, which the stack reads', (name) => {
    expect(page).toContain(`| \`${name}\` |`);
  });
});
