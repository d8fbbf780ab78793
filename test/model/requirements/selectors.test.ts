import { describe, expect, it } from 'vitest';
import { formatSelector, type LabelSelector, selects } from '../../../shared/model/requirements/selectors.ts';

const selector = (over: Partial<LabelSelector> = {}): LabelSelector => ({
  matchLabels: {},
  matchExpressions: [],
  ...over,
});

describe('label selectors', () => {
  it('select nothing if undefined, and everything if empty', () => {
    expect(selects(undefined, { app: 'web' })).toBe(false);
    expect(selects(selector(), {})).toBe(true);
  });

  it.each<[string, Partial<LabelSelector>, boolean]>([
    ['the label', { matchLabels: { app: 'web' } }, true],
    ['another value', { matchLabels: { app: 'db' } }, false],
    ['two labels, one absent', { matchLabels: { app: 'web', tier: 'x' } }, false],
    ['In', { matchExpressions: [{ key: 'app', operator: 'In', values: ['db', 'web'] }] }, true],
    ['In, absent', { matchExpressions: [{ key: 'tier', operator: 'In', values: ['x'] }] }, false],
    ['NotIn', { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] }, false],
    ['NotIn, absent', { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['x'] }] }, true],
    ['Exists', { matchExpressions: [{ key: 'app', operator: 'Exists', values: [] }] }, true],
    ['DoesNotExist', { matchExpressions: [{ key: 'app', operator: 'DoesNotExist', values: [] }] }, false],
  ])('select pods labelled app=web by %s', (_, over, expected) => {
    expect(selects(selector(over), { app: 'web' })).toBe(expected);
  });

  it('are formatted like kubectl selectors', () => {
    const both = selector({
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['a', 'b'] },
        { key: 'gpu', operator: 'Exists', values: [] },
      ],
    });

    expect(formatSelector(both)).toBe('app=web,tier In (a, b),gpu Exists');
    expect(formatSelector(selector())).toBe('every pod');
    expect(formatSelector(undefined)).toBe('no pod');
  });
});
