import { describe, expect, it } from 'vitest';
import type { Owner } from '../../shared/model/ownership.ts';
import { MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import type { ClusterIdentities } from '../../shared/ports/cluster.ts';
import type { Ownership } from '../../shared/ports/records.ts';
import { NOON } from '../support/builders.ts';

interface OwnershipUnderTest {
  /** One who asks for the same cluster. */
  of(owner: Owner): Ownership;
  pass(ms: number): void;
  now(): number;
  /** Karpenter shows a sign of life. */
  karpenterRenews(): void;
}

const FUNCTIONS: Owner = { stack: 'shop', mode: 'lambda' };
const CONTROLLER: Owner = { stack: 'shop', mode: 'controller', process: 'host-1' };
const STRANGER: Owner = { stack: 'other', mode: 'lambda' };
const OWNER = { outcome: 'owner' };

/** What every way to tell a cluster's owner keeps. @param create - a cluster nobody has owned yet */
export function ownershipContract(
  adapter: string,
  create: () => Promise<OwnershipUnderTest>,
): void {
  describe(`Ownership: ${adapter}`, () => {
    it('is the first one’s who asks, and stays so while that one asks', async () => {
      const cluster = await create();
      const functions = cluster.of(FUNCTIONS);
      expect(await functions.claim()).toEqual(OWNER);

      for (let minute = 1; minute <= 10; minute += 1) {
        cluster.pass(MINUTE_MS);
        expect(await functions.claim()).toEqual(OWNER);
      }
      expect(await cluster.of(STRANGER).claim()).toEqual({
        outcome: 'stand-by',
        owner: 'shop/lambda',
        why: 'another-stack',
      });
    });

    it('is one, whichever of its functions asks', async () => {
      const cluster = await create();
      await cluster.of(FUNCTIONS).claim();

      expect(await cluster.of(FUNCTIONS).claim()).toEqual(OWNER);
    });

    it('passes on when the owner falls silent, and nothing is moved for ten minutes', async () => {
      const cluster = await create();
      await cluster.of(CONTROLLER).claim();
      cluster.pass(31 * SECOND_MS);
      expect(await cluster.of(FUNCTIONS).claim()).toMatchObject({ outcome: 'stand-by' });

      cluster.pass(2 * SECOND_MS);

      const calmUntil = cluster.now() + 10 * MINUTE_MS;
      expect(await cluster.of(FUNCTIONS).claim()).toEqual({ ...OWNER, calmUntil });
      for (let minute = 1; minute <= 10; minute += 1) {
        cluster.pass(MINUTE_MS);
        await cluster.of(FUNCTIONS).claim();
      }
      expect(await cluster.of(FUNCTIONS).claim()).toEqual(OWNER);
    });

    it('passes on at once when the owner lets go', async () => {
      const cluster = await create();
      const controller = cluster.of(CONTROLLER);
      await controller.claim();

      await controller.release();

      expect(await cluster.of(FUNCTIONS).claim()).toMatchObject(OWNER);
      expect(await controller.claim()).toMatchObject({ outcome: 'stand-by', owner: 'shop/lambda' });
    });

    it('is let go by its owner alone', async () => {
      const cluster = await create();
      await cluster.of(FUNCTIONS).claim();

      await cluster.of(CONTROLLER).release();

      expect(await cluster.of(CONTROLLER).claim()).toEqual({
        outcome: 'stand-by',
        owner: 'shop/lambda',
        why: 'another-home',
      });
    });

    it('is taken over from another home of the stack, never from another stack', async () => {
      const cluster = await create();
      await cluster.of(FUNCTIONS).claim();

      expect(await cluster.of(STRANGER).takeOver()).toMatchObject({ why: 'another-stack' });
      expect(await cluster.of(CONTROLLER).takeOver()).toMatchObject(OWNER);

      cluster.pass(2 * SECOND_MS);
      expect(await cluster.of(FUNCTIONS).claim()).toMatchObject({
        outcome: 'stand-by',
        owner: 'shop/controller/host-1',
      });
    });

    it('is nobody’s of ours while Karpenter lives, and is taken a minute after it died', async () => {
      const cluster = await create();
      const functions = cluster.of(FUNCTIONS);
      await functions.claim();
      cluster.pass(2 * SECOND_MS);
      cluster.karpenterRenews();

      const standBy = { outcome: 'stand-by', owner: 'Karpenter', why: 'karpenter' };
      expect(await functions.claim()).toEqual(standBy);
      expect(await functions.takeOver()).toEqual(standBy);

      cluster.pass(MINUTE_MS);
      expect(await functions.claim()).toMatchObject(OWNER);
    });

    it('taken from Karpenter, moves nothing for ten minutes', async () => {
      const cluster = await create();
      cluster.karpenterRenews();
      cluster.pass(MINUTE_MS);

      const calmUntil = cluster.now() + 10 * MINUTE_MS;
      expect(await cluster.of(FUNCTIONS).claim()).toEqual({ ...OWNER, calmUntil });
    });

    it('of one who takes the cluster apart lasts until the stack is gone', async () => {
      const cluster = await create();
      await cluster.of(FUNCTIONS).claim();
      await cluster.of({ stack: 'shop', mode: 'uninstall' }).takeOver();

      cluster.pass(60 * MINUTE_MS);

      expect(await cluster.of(FUNCTIONS).claim()).toMatchObject({ owner: 'shop/uninstall' });
    });
  });
}

/** What all that know whose records they are keep. @param create - an empty one for each test */
export function clusterIdentitiesContract(
  adapter: string,
  create: () => Promise<ClusterIdentities>,
): void {
  describe(`ClusterIdentities: ${adapter}`, () => {
    it('remember the first who said who they are', async () => {
      const identities = await create();
      const first = { certificateAuthority: 'aa', arn: 'arn:aws:eks:a', createdAt: NOON };

      expect(await identities.remember(first)).toEqual(first);
      expect(await identities.remember({ certificateAuthority: 'bb' })).toEqual(first);
      expect(await identities.remember(first)).toEqual(first);
    });
  });
}
