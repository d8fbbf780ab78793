import { describe, expect, it } from 'vitest';
import { computeEditDistance, findNearestWord } from '../../shared/model/nearest-word.ts';
import { OPERATORS } from '../../shared/model/requirements/requirement-specs.ts';

describe('findNearestWord', () => {
  it.each([
    ['Im', 'In'],
    ['in', 'In'],
    ['notin', 'NotIn'],
    ['Exist', 'Exists'],
    ['DoesntExist', 'DoesNotExist'],
    ['Equals', undefined],
    ['', undefined],
  ])('finds for %j the word %s', (word, nearest) => {
    expect(findNearestWord(word, OPERATORS)).toBe(nearest);
  });

  it.each([
    ['', 'abc', 3],
    ['abc', 'abc', 0],
    ['abc', 'acb', 1],
    ['consolidateAfer', 'consolidateAfter', 1],
    ['kitten', 'sitting', 3],
  ])('measures from %j to %j a distance of %i letters', (a, b, distance) => {
    expect(computeEditDistance(a, b)).toBe(distance);
    expect(computeEditDistance(b, a)).toBe(distance);
  });
});
