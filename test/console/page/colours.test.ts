import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contrast, difference, SIGHTS } from '../support/colour.ts';

const css = readFileSync(new URL('../../../console/page/tokens.css', import.meta.url), 'utf8');
const [lightCss = '', darkCss = ''] = css.split(':root[data-theme="dark"]');
const tokensIn = (text: string) =>
  new Map([...text.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [name, value]));
const THEMES = [
  ['light', tokensIn(lightCss)],
  ['dark', tokensIn(darkCss)],
] as const;

const TILES = [1, 2, 3, 4, 5, 6].map((number) => `tile-${number}`);
const CAPACITY = ['spot', 'on-demand', 'reserved'];
const pairsOf = (names: readonly string[]) =>
  names.flatMap((a, index) => names.slice(index + 1).map((b) => [a, b] as const));

describe.each(THEMES)('colours of the %s theme', (_, tokens) => {
  const of = (name: string) => tokens.get(name) ?? '';

  it.each([
    ...['ink-1', 'ink-2', 'ink-3', 'accent', 'warn', 'bad', 'good'].flatMap((ink) => [
      [ink, 'panel'],
      [ink, 'ground'],
    ]),
    ['accent', 'accent-wash'],
    ['bad', 'bad-wash'],
    ['on-accent', 'accent'],
    ['ink-2', 'track'],
    ...[...TILES, 'tile-other'].map((tile) => ['tile-ink', tile]),
  ])('%s is readable on %s', (ink = '', ground = '') => {
    expect(contrast(of(ink), of(ground))).toBeGreaterThanOrEqual(4.5);
  });

  describe.each(Object.keys(SIGHTS) as (keyof typeof SIGHTS)[])('colours for %s', (sight) => {
    it.each(pairsOf(TILES))('%s and %s differ', (a, b) => {
      expect(difference(of(a), of(b), sight)).toBeGreaterThanOrEqual(14);
    });

    it.each(pairsOf(CAPACITY))('%s and %s differ', (a, b) => {
      expect(difference(of(a), of(b), sight)).toBeGreaterThanOrEqual(23);
    });
  });
});
