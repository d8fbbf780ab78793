import { describe, expect, it } from 'vitest';
import { createShortCache } from '../../../shared/aws/ec2/short-cache.ts';
import { NOON } from '../../support/builders.ts';

/** Answers with how often it was asked. */
function aQuestion() {
  const time = { now: NOON };
  const asked: string[] = [];
  const answers = createShortCache(
    async (key) => {
      asked.push(key);
      if (key === 'broken') throw new Error('away');
      return `${key} ${asked.length}`;
    },
    { now: () => time.now },
  );
  return { time, asked, answers };
}

describe('a recent answer', () => {
  it('is the last one for three seconds, and is asked for anew then', async () => {
    const { time, answers } = aQuestion();
    await answers.refresh('a');

    time.now += 2_999;
    expect(await answers.get('a')).toBe('a 1');
    time.now += 1;
    expect(await answers.get('a')).toBe('a 2');
  });

  it('serves all who ask while it is on its way', async () => {
    const { asked, answers } = aQuestion();

    const all = Promise.all([answers.get('a'), answers.get('a'), answers.get('b')]);

    expect(await all).toEqual(['a 1', 'a 1', 'b 2']);
    expect(asked).toEqual(['a', 'b']);
  });

  it('is none that was forgotten, nor a failure', async () => {
    const { asked, answers } = aQuestion();
    await answers.get('a');
    answers.clear();
    await answers.get('a');

    await expect(answers.get('broken')).rejects.toThrow('away');
    await expect(answers.get('broken')).rejects.toThrow('away');

    expect(asked).toEqual(['a', 'a', 'broken', 'broken']);
  });
});
