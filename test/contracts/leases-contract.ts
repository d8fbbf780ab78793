import { describe, expect, it } from 'vitest';
import { LEASE_MARGIN_MS, type Leases, type LeaseTerm } from '../../shared/ports/records.ts';
import { NOON } from '../support/builders.ts';

const TERM_MS = 10_000;
/** From this time on any holder may take the lease. */
const OVER = NOON + TERM_MS + LEASE_MARGIN_MS + 1;

const term = (holder: string, now = NOON): LeaseTerm => ({ holder, now, forMs: TERM_MS });

/**
 * The contract of every Leases.
 *
 * @param create - a store without leases for each test
 */
export function leasesContract(adapter: string, create: () => Promise<Leases>): void {
  describe(`Leases: ${adapter}`, () => {
    it('gives a free role to the first caller', async () => {
      const leases = await create();

      expect(await leases.acquire('commit', term('a'))).toEqual({
        role: 'commit',
        holder: 'a',
        fence: 1,
        until: NOON + TERM_MS,
      });
      expect(await leases.acquire('commit', term('b'))).toBeUndefined();
    });

    it('gives a free role to one of many callers at the same time', async () => {
      const leases = await create();
      const holders = ['a', 'b', 'c', 'd'];

      const given = await Promise.all(holders.map((one) => leases.acquire('commit', term(one))));

      expect(given.filter((lease) => lease !== undefined)).toHaveLength(1);
    });

    it('gives each role independently of the others', async () => {
      const leases = await create();
      await leases.acquire('commit', term('a'));

      expect(await leases.acquire('sweep', term('b'))).toMatchObject({ fence: 1 });
    });

    it.each([
      ['two seconds after its end, though it is still on record', OVER, 2],
      ['not in the two seconds that clocks may differ', OVER - 1, undefined],
    ])('can be taken over %s', async (_, now, fence) => {
      const leases = await create();
      await leases.acquire('commit', term('a'));

      expect((await leases.acquire('commit', term('b', now)))?.fence).toBe(fence);
    });

    it('gives the current holder a new lease with a higher fence', async () => {
      const leases = await create();
      await leases.acquire('commit', term('a'));

      expect(await leases.acquire('commit', term('a', NOON + 1))).toMatchObject({
        fence: 2,
        until: NOON + 1 + TERM_MS,
      });
    });

    it('lasts longer after a renewal', async () => {
      const leases = await create();
      const lease = await leases.acquire('commit', term('a'));
      if (!lease) throw new Error('not given');

      const until = lease.until + TERM_MS;
      expect(await leases.renew(lease, until)).toEqual({ ...lease, until });
      expect(await leases.acquire('commit', term('b', OVER))).toBeUndefined();
    });

    it('is not renewed if another holder has had it since', async () => {
      const leases = await create();
      const first = await leases.acquire('commit', term('a'));
      if (!first) throw new Error('not given');
      await leases.acquire('commit', term('b', OVER));

      expect(await leases.renew(first, OVER + TERM_MS)).toBeUndefined();
    });

    it('is free at once after a release, and its fence keeps growing', async () => {
      const leases = await create();
      const lease = await leases.acquire('commit', term('a'));
      if (!lease) throw new Error('not given');

      await leases.release(lease);

      expect(await leases.renew(lease, OVER)).toBeUndefined();
      expect(await leases.acquire('commit', term('b'))).toMatchObject({ holder: 'b', fence: 2 });
    });

    it('is not released by a former holder', async () => {
      const leases = await create();
      const first = await leases.acquire('commit', term('a'));
      if (!first) throw new Error('not given');
      await leases.acquire('commit', term('b', OVER));

      await leases.release(first);

      expect(await leases.acquire('commit', term('c', OVER + 1))).toBeUndefined();
    });
  });
}
