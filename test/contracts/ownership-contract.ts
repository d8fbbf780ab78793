import { describe, expect, it } from 'vitest';
import type { Owner } from '../../shared/model/ownership.ts';
import { MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import type { ClusterIdentities } from '../../shared/ports/cluster.ts';
import type { Ownership } from '../../shared/ports/records.ts';
import { NOON } from '../support/builders.ts';

interface OwnershipUnderTest {
  /** Returns a runtime that requests the same cluster. */
  of(owner: Owner): Ownership;
  pass(ms: number): void;
  now(): number;
  /** Karpenter renews its lease. */
  karpenterRenews(): void;
}

const FUNCTIONS: Owner = { stack: 'shop', mode: 'lambda' };
const CONTROLLER: Owner = { stack: 'shop', mode: 'controller', process: 'host-1' };
const STRANGER: Owner = { stack: 'other', mode: 'lambda' };
const OWNER = { outcome: 'owner' };

/**
 * The contract of every Ownership.
 *
 * @param create - a cluster without an owner for each test
 */
export function ownershipContract(adapter: string, create: () => Promise<OwnershipUnderTest>): void {
  describe(`Ownership: ${adapter}`, () => {
    it('goes to the first caller, and stays with it while it renews', async () => {
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

    it('is the same for all functions of a stack', async () => {
      const cluster = await create();
      await cluster.of(FUNCTIONS).claim();

      expect(await cluster.of(FUNCTIONS).claim()).toEqual(OWNER);
    });

    it('passes on at once to another mode of the stack if the owner stops renewing', async () => {
      const cluster = await create();
      await cluster.of(CONTROLLER).claim();
      cluster.pass(31 * SECOND_MS);
      expect(await cluster.of(FUNCTIONS).claim()).toMatchObject({ outcome: 'stand-by' });

      cluster.pass(2 * SECOND_MS);

      expect(await cluster.of(FUNCTIONS).claim()).toEqual(OWNER);
    });

    it('passes on at once if the owner releases it', async () => {
      const cluster = await create();
      const controller = cluster.of(CONTROLLER);
      await controller.claim();

      await controller.release();

      expect(await cluster.of(FUNCTIONS).claim()).toMatchObject(OWNER);
      expect(await controller.claim()).toMatchObject({ outcome: 'stand-by', owner: 'shop/lambda' });
    });

    it('is released only by its owner', async () => {
      const cluster = await create();
      await cluster.of(FUNCTIONS).claim();

      await cluster.of(CONTROLLER).release();

      expect(await cluster.of(CONTROLLER).claim()).toEqual({
        outcome: 'stand-by',
        owner: 'shop/lambda',
        why: 'another-process',
      });
    });

    it('is taken over from another runtime of the stack, but never from another stack', async () => {
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

    it('stays with Karpenter while it renews its lease, and is free a minute later', async () => {
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

    it('starts a quiet time of ten minutes after a take-over from Karpenter', async () => {
      const cluster = await create();
      cluster.karpenterRenews();
      cluster.pass(MINUTE_MS);

      const quietUntil = cluster.now() + 10 * MINUTE_MS;
      expect(await cluster.of(FUNCTIONS).claim()).toEqual({ ...OWNER, quietUntil });
      for (let minute = 1; minute <= 10; minute += 1) {
        cluster.pass(MINUTE_MS);
        await cluster.of(FUNCTIONS).claim();
      }
      expect(await cluster.of(FUNCTIONS).claim()).toEqual(OWNER);
    });

    it('lasts during an uninstallation until the stack is deleted', async () => {
      const cluster = await create();
      await cluster.of(FUNCTIONS).claim();
      await cluster.of({ stack: 'shop', mode: 'uninstall' }).takeOver();

      cluster.pass(60 * MINUTE_MS);

      expect(await cluster.of(FUNCTIONS).claim()).toMatchObject({ owner: 'shop/uninstall' });
    });

    it('is free for others after an uninstallation, but not for the functions of the stack', async () => {
      const cluster = await create();
      await cluster.of(FUNCTIONS).claim();
      const uninstallation = cluster.of({ stack: 'shop', mode: 'uninstall' });
      await uninstallation.takeOver();
      await uninstallation.release();

      cluster.pass(60 * MINUTE_MS);

      expect(await cluster.of(FUNCTIONS).claim()).toEqual({
        outcome: 'stand-by',
        owner: 'shop/uninstall',
        why: 'another-process',
      });
      expect(await cluster.of(STRANGER).claim()).toEqual(OWNER);
    });

    it('returns to the functions a day after an uninstallation if the stack was not deleted', async () => {
      const cluster = await create();
      const uninstallation = cluster.of({ stack: 'shop', mode: 'uninstall' });
      await uninstallation.takeOver();
      await uninstallation.release();

      cluster.pass(25 * 60 * MINUTE_MS);

      expect(await cluster.of(FUNCTIONS).claim()).toEqual(OWNER);
    });
  });
}

/**
 * The contract of every ClusterIdentities.
 *
 * @param create - an empty store for each test
 */
export function clusterIdentitiesContract(adapter: string, create: () => Promise<ClusterIdentities>): void {
  describe(`ClusterIdentities: ${adapter}`, () => {
    it('remembers the first identity', async () => {
      const identities = await create();
      const first = { certificateAuthority: 'aa', arn: 'arn:aws:eks:a', createdAt: NOON };

      expect(await identities.remember(first)).toEqual(first);
      expect(await identities.remember({ certificateAuthority: 'bb' })).toEqual(first);
      expect(await identities.remember(first)).toEqual(first);
    });
  });
}
