import { describe, expect, it } from 'vitest';
import {
  computeMissingOnDemand,
  computeRequiredOnDemand,
  formatOnDemandShare,
  readOnDemandShare,
  type ShareUnit,
} from '../../../shared/model/offerings/on-demand-share.ts';

const share = (base: number, percentAboveBase: number) => ({ base, percentAboveBase });

describe('a share on demand', () => {
  it.each<[number, number, number, ShareUnit, number]>([
    [2, 0, 10, 'pods', 2],
    [2, 0, 1, 'pods', 1],
    [0, 30, 10, 'pods', 3],
    [2, 30, 10, 'pods', 5],
    [0, 30, 11, 'pods', 4],
    [0, 100, 7, 'pods', 7],
    [8, 25, 16, 'vCPUs', 10],
    [8, 25, 17, 'vCPUs', 10.25],
    [8, 25, 4, 'vCPUs', 4],
  ])('of %d and %d %% requires of %d %s %d', (base, percent, total, unit, required) => {
    expect(computeRequiredOnDemand(share(base, percent), total, unit)).toBe(required);
  });

  it('rounds no error of its percentages up to a pod', () => {
    expect(computeRequiredOnDemand(share(0, 70), 10, 'pods')).toBe(7);
    expect(computeRequiredOnDemand(share(0, 7), 100, 'pods')).toBe(7);
  });

  it('lacks nothing if more is on demand', () => {
    expect(computeMissingOnDemand(share(2, 0), { onDemand: 5, total: 5 }, 'pods')).toBe(0);
    expect(computeMissingOnDemand(share(2, 0), { onDemand: 1, total: 5 }, 'pods')).toBe(1);
  });

  it.each<[number, number, ShareUnit, string]>([
    [2, 0, 'pods', '2 pods'],
    [1, 0, 'vCPUs', '1 vCPU'],
    [0, 30, 'vCPUs', '30 % of its vCPUs'],
    [2, 30, 'pods', '2 pods and 30 % of those above'],
  ])('of %d and %d %% of %s is called %j', (base, percent, unit, text) => {
    expect(formatOnDemandShare(share(base, percent), unit)).toBe(text);
  });

  const base = 'mortise.sh/on-demand-base';
  const percent = 'mortise.sh/on-demand-percent-above-base';

  it.each<[Record<string, string>, ShareUnit, ReturnType<typeof share> | undefined]>([
    [{ [base]: '2' }, 'pods', share(2, 0)],
    [{ [percent]: '30' }, 'pods', share(0, 30)],
    [{ [base]: '2', [percent]: '12.5' }, 'pods', share(2, 12.5)],
    [{ [base]: '7.5' }, 'vCPUs', share(7.5, 0)],
    [{ [base]: '7.5' }, 'pods', undefined],
    [{ [base]: '-1' }, 'vCPUs', undefined],
    [{ [base]: '2', [percent]: '101' }, 'pods', undefined],
    [{ [percent]: '30%' }, 'pods', undefined],
    [{ [percent]: '' }, 'pods', undefined],
    [{}, 'pods', undefined],
  ])('is read from %j for %s', (annotations, unit, expected) => {
    expect(readOnDemandShare(annotations, unit)).toEqual(expected);
  });
});
