import { describe, expect, it } from 'vitest';
import { placeHooksWithToken } from '../../../shared/controllers/webhooks/token-rotation.ts';
import { DAY_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';
import { aFakeSetup, type FakeSetup } from './fake-setup.ts';

const OLD = { text: 'first', createdAt: NOON - 7 * DAY_MS };

/** True if the intake accepts the token that is in the webhooks. */
const isOpen = ({ hooks, admitted }: FakeSetup): boolean => hooks === undefined || admitted.includes(hooks);

describe('the webhook token', () => {
  it('is accepted before the API server calls with it', async () => {
    const world = aFakeSetup();

    await placeHooksWithToken(world.ports);

    expect(world.done).toEqual(['admit first', 'place first']);
  });

  it('stays for seven days, to the millisecond', async () => {
    const world = aFakeSetup({ current: { ...OLD, createdAt: OLD.createdAt + 1 } });

    await placeHooksWithToken(world.ports);

    expect(world.hooks).toBe('first');
  });

  it('is then replaced: both are accepted for a minute, then only the new one', async () => {
    const world = aFakeSetup({ current: OLD });

    await placeHooksWithToken(world.ports);

    expect(world.done).toEqual([
      'propose',
      'admit first made-1',
      'place made-1',
      'sleep 60000',
      'promote',
      'admit made-1',
    ]);
    expect(world.current.text).toBe('made-1');
  });

  it('is replaced at once if it is exposed', async () => {
    const world = aFakeSetup();

    await placeHooksWithToken(world.ports, true);

    expect(world).toMatchObject({ hooks: 'made-1', admitted: ['made-1'] });
  });

  it.each([0, 1, 2, 3, 4, 5])(
    'is always accepted, and replaced once, if the rotation crashes at step %i',
    async (failsAt) => {
      const world = aFakeSetup({
        current: OLD,
        hooks: 'first',
        admitted: ['first'],
        failsAt,
      });

      await expect(placeHooksWithToken(world.ports)).rejects.toThrow('killed');
      expect(isOpen(world)).toBe(true);
      world.failsAt = undefined;
      await placeHooksWithToken(world.ports);

      expect(isOpen(world)).toBe(true);
      expect(world).toMatchObject({ hooks: 'made-1', admitted: ['made-1'], next: undefined });
    },
  );
});
