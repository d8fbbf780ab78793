import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../infra/options/formats.ts';
import { TIMING_OPTIONS } from '../../infra/options/timing-options.ts';

const page = readFileSync('docs/reference/stack-options.md', 'utf8');
const settings = readFileSync('docs/reference/settings.md', 'utf8');

describe('each option of the stack', () => {
  it.each(Object.keys(FORMATS))('%s has a row on the page of options', (name) => {
    expect(page).toContain(`| \`${name}\` |`);
  });

  it.each(Object.keys(TIMING_OPTIONS))('%s is described there or with the settings', (name) => {
    expect(`${page}${settings}`).toContain(`| \`${name}\` |`);
  });
});
