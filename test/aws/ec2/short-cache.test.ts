import { describe, expect, it } from 'vitest';
import { createShortCache } from '../../../shared/aws/ec2/ec2-cloud.ts';
import { NOON } from '../../support/builders.ts';

/** Loads the number of loads so far. */
function aQuestion() {
  const time = { now: NOON };
  const requested: string[] = [];
  const answers = createShortCache(
    async (key) => {
      requested.push(key);
      if (key === 'broken') throw new Error('away');
      return `${key} ${requested.length}`;
    },
    { now: () => time.now },
  );
  return { time, asked: requested, answers };
}

describe('a cached value', () => {
  it('is returned for three seconds, and then loaded again', async () => {
    const { time, answers } = aQuestion();
    await answers.refresh('a');

    time.now += 2_999;
    expect(await answers.get('a')).toBe('a 1');
    time.now += 1;
    expect(await answers.get('a')).toBe('a 2');
  });

  it('is shared by callers while it loads', async () => {
    const { asked: requested, answers } = aQuestion();

    const all = Promise.all([answers.get('a'), answers.get('a'), answers.get('b')]);

    expect(await all).toEqual(['a 1', 'a 1', 'b 2']);
    expect(requested).toEqual(['a', 'b']);
  });

  it('is not returned after `clear` or a failure', async () => {
    const { asked: requested, answers } = aQuestion();
    await answers.get('a');
    answers.clear();
    await answers.get('a');

    await expect(answers.get('broken')).rejects.toThrow('away');
    await expect(answers.get('broken')).rejects.toThrow('away');

    expect(requested).toEqual(['a', 'a', 'broken', 'broken']);
  });
});
