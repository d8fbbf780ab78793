import { describe, expect, it } from 'vitest';
import { StaleNodeClaimError } from '../../shared/model/errors.ts';
import type { DisruptionCommand } from '../../shared/model/plans.ts';
import type { Commands, NodeClaims } from '../../shared/ports/records.ts';
import { aLaunch, aNodeClaim, NOON } from '../support/builders.ts';

/**
 * The contract of every NodeClaims.
 *
 * @param create - an empty store for each test
 */
export function nodeClaimsContract(adapter: string, create: () => Promise<NodeClaims>): void {
  describe(`NodeClaims: ${adapter}`, () => {
    it('finds nothing that was never saved', async () => {
      const claims = await create();

      expect(await claims.find('general-1')).toBeUndefined();
      expect((await claims.list()).records).toEqual([]);
    });

    it('finds the result of the latest save, one version higher each time', async () => {
      const claims = await create();
      const launched = aNodeClaim({ launch: aLaunch() });

      await claims.save(aNodeClaim(), 0);
      await claims.save(launched, 1);

      expect(await claims.find('general-1')).toEqual({ claim: launched, version: 2 });
      expect((await claims.list()).records).toEqual([{ claim: launched, version: 2 }]);
    });

    it('removes a field that the newer claim omits', async () => {
      const claims = await create();
      await claims.save(aNodeClaim({ nodeName: 'node-1' }), 0);

      await claims.save(aNodeClaim(), 1);

      expect((await claims.find('general-1'))?.claim).toEqual(aNodeClaim());
    });

    it.each([
      ['a new claim under a name that is taken', 0],
      ['a change to a version that is gone', 1],
      ['a change to a version that is still to come', 3],
    ])('refuses %s', async (_, observed) => {
      const claims = await create();
      await claims.save(aNodeClaim(), 0);
      await claims.save(aNodeClaim({ decision: 'decision-2' }), 1);

      const late = claims.save(aNodeClaim({ decision: 'too late' }), observed);

      await expect(late).rejects.toThrow(StaleNodeClaimError);
      expect((await claims.find('general-1'))?.claim.decision).toBe('decision-2');
    });

    it('refuses a change to a claim that was never saved', async () => {
      const claims = await create();

      await expect(claims.save(aNodeClaim(), 1)).rejects.toThrow(StaleNodeClaimError);
    });

    it('accepts one of two writers that read the same version', async () => {
      const claims = await create();
      await claims.save(aNodeClaim(), 0);

      const outcomes = await Promise.allSettled([
        claims.save(aNodeClaim({ decision: 'a' }), 1),
        claims.save(aNodeClaim({ decision: 'b' }), 1),
      ]);

      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect((await claims.find('general-1'))?.version).toBe(2);
    });

    it('finds a terminated claim as it ended, and refuses a new claim of its name', async () => {
      const claims = await create();
      const over = aNodeClaim({ launch: aLaunch(), deletingAt: NOON, terminatedAt: NOON });
      await claims.save(aNodeClaim(), 0);
      await claims.save(over, 1);

      expect(await claims.find('general-1')).toEqual({ claim: over, version: 2 });
      await expect(claims.save(aNodeClaim(), 0)).rejects.toThrow(StaleNodeClaimError);
      expect(await claims.find('general-1')).toEqual({ claim: over, version: 2 });

      await claims.save(aNodeClaim(), 2);
      expect((await claims.list()).records).toEqual([{ claim: aNodeClaim(), version: 3 }]);
    });

    it('finds a claim by its instance and by its node, as soon as they are saved', async () => {
      const claims = await create();
      const launch = aLaunch({ providerId: 'aws:///us-east-1a/i-1' });
      const claim = aNodeClaim({ launch, nodeName: 'node-1' });
      await claims.save(aNodeClaim(), 0);
      await claims.save(aNodeClaim({ launch }), 1);

      expect(await claims.findByInstance('i-1')).toMatchObject({ version: 2 });
      expect(await claims.findByNode('node-1')).toBeUndefined();

      await claims.save(claim, 2);
      expect(await claims.findByInstance('i-1')).toEqual({ claim, version: 3 });
      expect(await claims.findByNode('node-1')).toEqual({ claim, version: 3 });
      expect(await claims.findByInstance('i-2')).toBeUndefined();
      expect(await claims.findByNode('node-2')).toBeUndefined();
    });

    it('finds no claim by an instance or node that it has left', async () => {
      const claims = await create();
      const launch = aLaunch({ providerId: 'aws:///us-east-1a/i-1' });
      await claims.save(aNodeClaim({ launch, nodeName: 'node-1' }), 0);

      await claims.save(aNodeClaim({ launch, terminatedAt: NOON }), 1);

      expect(await claims.findByInstance('i-1')).toBeUndefined();
      expect(await claims.findByNode('node-1')).toBeUndefined();
    });

    it('lists the same claims eventually', async () => {
      const claims = await create();
      await claims.save(aNodeClaim(), 0);

      const list = async () => (await claims.list({ isEventual: true })).records;
      await expect.poll(list).toEqual([{ claim: aNodeClaim(), version: 1 }]);
    });

    it('renews what it has listed without a change', async () => {
      const claims = await create();
      await claims.save(aNodeClaim(), 0);
      await claims.list();

      await claims.renew();

      expect((await claims.list()).records).toEqual([{ claim: aNodeClaim(), version: 1 }]);
    });

    it('does not list terminated claims', async () => {
      const claims = await create();
      await claims.save(aNodeClaim({ name: 'general-1' }), 0);
      await claims.save(aNodeClaim({ name: 'general-2' }), 0);

      await claims.save(aNodeClaim({ name: 'general-1', terminatedAt: NOON }), 1);

      expect((await claims.list()).records.map(({ claim }) => claim.name)).toEqual(['general-2']);
    });
  });
}

const aCommand = (over: Partial<DisruptionCommand> = {}): DisruptionCommand => ({
  id: 'command-1',
  reason: 'Underutilized',
  decidedAt: NOON,
  candidates: ['general-1'],
  replacements: [],
  placements: [{ target: 'node-2', pods: ['default/web-1'] }],
  savingHourlyUsd: 0.25,
  ...over,
});

/**
 * The contract of every Commands.
 *
 * @param create - an empty store for each test
 */
export function commandsContract(adapter: string, create: () => Promise<Commands>): void {
  describe(`Commands: ${adapter}`, () => {
    it('lists commands as they were added', async () => {
      const commands = await create();

      await commands.add(aCommand());

      expect((await commands.list()).records).toEqual([aCommand()]);
    });

    it('keeps the first command of an id', async () => {
      const commands = await create();
      await commands.add(aCommand());

      await commands.add(aCommand({ candidates: ['general-2'] }));

      expect((await commands.list()).records).toEqual([aCommand()]);
    });

    it('removes a command, and accepts the removal of an absent one', async () => {
      const commands = await create();
      await commands.add(aCommand());
      await commands.add(aCommand({ id: 'command-2' }));

      await commands.remove('command-1');
      await commands.remove('command-1');

      expect((await commands.list()).records.map(({ id }) => id)).toEqual(['command-2']);
    });
  });
}
