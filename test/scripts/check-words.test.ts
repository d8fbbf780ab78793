import { describe, expect, it } from 'vitest';
import { findRejectedWords } from '../../scripts/check-words.ts';

const findIn = (text: string, path = 'shared/x.ts'): readonly string[] =>
  findRejectedWords({ path, text }).map(({ word, line }) => `${line}: ${word}`);

describe('the word check', () => {
  it.each([
    ['a part of an identifier', 'const theatreSize = 1;', '1: theatre in theatreSize'],
    ['a constant', 'const MOST_PODS = 1;', '1: MOST_PODS'],
    ['a whole identifier', 'let found = 1;', '1: found'],
    ['a comment', '// Nobody reads it.\n', '1: Nobody'],
    ['a line of a docstring', '/**\n * Pods for\n * whoever asks.\n */', '3: whoever'],
    ['the opening of a docstring', '/** Whether it is empty. */', '1: Whether'],
    ['a test title', "it('wakes whoever waits', () => {});", '1: whoever'],
    ['a title of a table', "it.each([1])('wakes whoever waits', () => {});", '1: whoever'],
  ])('finds %s', (_, source, finding) => {
    expect(findIn(source)).toEqual([finding]);
  });

  it('finds words in a document, outside of code', () => {
    const document = 'Nobody knows.\n\n```\nnobody\n```\n\n`nobody` is a user.\n';

    expect(findIn(document, 'docs/x.md')).toEqual(['1: Nobody']);
  });

  it.each([
    ['texts for users', "const text = 'nobody';"],
    ['words that contain a listed one', 'const broadcast = 1;'],
    ['bounds such as "at most"', 'const takeAtMost = 1;'],
    ['names in code spans', '// See `nobody`.\n'],
  ])('accepts %s', (_, source) => {
    expect(findIn(source)).toEqual([]);
  });

  it('names the replacement', () => {
    const [finding] = findRejectedWords({ path: 'x.ts', text: 'const theatre = 1;' });

    expect(finding?.use).toBe('SimulationContext');
  });
});
