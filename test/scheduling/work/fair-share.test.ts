import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { selectFairShare } from '../../../shared/scheduling/input/fair-share.ts';
import { aPod, NOON } from '../../support/builders.ts';

const createPodsIn = (namespace: string, count: number): readonly Pod[] =>
  Array.from({ length: count }, (_, index) => aPod({ namespace, name: `${namespace}-${index}` }));

const countIn = (namespace: string, pods: readonly Pod[]): number =>
  pods.filter((pod) => pod.namespace === namespace).length;

const NOTHING_MEASURED = new Map<string, number>();

describe('the fair share of a plan', () => {
  const pods = [...createPodsIn('crowded', 1_000), ...createPodsIn('shop', 10)];

  it('has all pods of a small namespace beside a large one', () => {
    const { pods: selected, deferred } = selectFairShare(pods, 1 / 20, NOTHING_MEASURED, NOON);

    expect(countIn('shop', selected)).toBe(10);
    expect(selected.length).toBeLessThan(60);
    expect(selected.length + deferred.length).toBe(pods.length);
  });

  it('prefers pods that an attempt found cheap to plan', () => {
    const measured = new Map(
      createPodsIn('crowded', 1_000).map(({ namespace, name }) => [`${namespace}/${name}`, 1e6]),
    );
    const { pods: selected } = selectFairShare(pods, 1 / 4096, measured, NOON);

    expect(countIn('shop', selected)).toBe(10);
  });

  it('has at least one workload', () => {
    expect(selectFairShare(pods, 1e-9, NOTHING_MEASURED, NOON).pods).toHaveLength(1);
  });

  it('is the same for equal snapshots and another one later', () => {
    const select = (now: number) => selectFairShare(pods, 1 / 20, NOTHING_MEASURED, now).pods.map(({ name }) => name);

    expect(select(NOON)).toEqual(select(NOON));
    expect(select(NOON)).not.toEqual(select(NOON + 1));
  });
});
