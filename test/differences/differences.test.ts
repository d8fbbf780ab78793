import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { planLikeKarpenter } from '../support/karpenter-disruption.ts';
import { PLAYED, TESTED } from './differences.ts';
import { buildDifferencesPage } from './page.ts';
import { playCluster } from './small-cluster.ts';

/** All restoring settings together. */
const RESTORED = Object.fromEntries(PLAYED.flatMap(({ restoredBy = {} }) => Object.entries(restoredBy)));

describe('what behaves differently from Karpenter', () => {
  it.each(PLAYED)('is seen by default: $topic', async ({ scene: { cluster, observe, byDefault, asKarpenter } }) => {
    expect(observe(await playCluster(cluster))).toBe(byDefault);
    expect(byDefault).not.toBe(asKarpenter);
  });

  it.each(PLAYED.filter(({ restoredBy }) => restoredBy))(
    "is Karpenter's with the setting that restores it: $topic",
    async ({ scene: { cluster, observe, asKarpenter }, restoredBy = {} }) => {
      expect(observe(await playCluster(cluster, { settings: restoredBy }))).toBe(asKarpenter);
    },
  );

  it.each(PLAYED)(
    "is not seen under Karpenter's rules: $topic",
    async ({ scene: { cluster, observe, asKarpenter } }) => {
      expect(observe(await playCluster(cluster, { settings: RESTORED, decide: planLikeKarpenter }))).toBe(asKarpenter);
    },
  );

  it.each(TESTED)('has a test of its own: $topic', ({ test }) => {
    expect(existsSync(new URL(`../../${test}`, import.meta.url))).toBe(true);
  });

  it('is documented in docs/migrate/differences.md', async () => {
    await expect(buildDifferencesPage()).toMatchFileSnapshot('../../docs/migrate/differences.md');
  });
});
