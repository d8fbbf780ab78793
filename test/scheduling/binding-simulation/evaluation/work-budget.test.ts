import { describe, expect, it } from 'vitest';
import { createWorkBudget } from '../../../../shared/scheduling/binding-simulation/evaluation/work-budget.ts';

describe('a work budget', () => {
  it.each([
    ['a number of visits', 30, 30],
    ['all remaining visits, if fewer remain', 500, 100],
  ])('limits a piece of work to %s', (_, maxVisits, available) => {
    const budget = createWorkBudget(100);

    expect(budget.withVisits(maxVisits, () => budget.remaining())).toBe(available);
    expect(budget.remaining()).toBe(100);
  });

  it('keeps what a piece of work does not spend', () => {
    const budget = createWorkBudget(100);

    budget.withVisits(30, () => budget.spend(10));
    budget.withShare(0.5, () => budget.spend(20));

    expect(budget.remaining()).toBe(70);
  });

  it('counts the visits by which a piece of work overruns', () => {
    const budget = createWorkBudget(100);

    budget.withShare(0.25, () => {
      budget.spend(40);
      expect(budget.isExhausted()).toBe(true);
    });

    expect(budget.remaining()).toBe(60);
  });
});
