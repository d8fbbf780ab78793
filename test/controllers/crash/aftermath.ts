import { expect } from 'vitest';
import { phaseOf } from '../../../shared/model/nodes/node-claim.ts';
import type { SimWorld } from '../../../shared/simulation/world.ts';

/**
 * Checks, at any time, that every running instance is recorded on a claim or in a launch record.
 */
export async function expectRecords({ ports }: SimWorld): Promise<void> {
  for (const { claim, launchId = '' } of await ports.cloud.instances()) {
    const isKnown = (await ports.nodeClaims.find(claim)) ?? (await ports.launches.find(launchId));
    expect(isKnown).toBeDefined();
  }
}

/** Checks that no instance lacks a record, no record lacks its end, and every pod is served. */
export async function expectCleared({ ports, clock }: SimWorld): Promise<void> {
  const claims = (await ports.nodeClaims.list()).records.map(({ claim }) => claim);
  const instances = await ports.cloud.instances();
  const { pods, nodes } = await ports.cluster.observe();
  const launched = claims.map(({ launch }) => launch?.providerId).toSorted();

  expect(pods.filter(({ nodeName }) => nodeName === undefined)).toEqual([]);
  expect(claims.filter((claim) => phaseOf(claim) !== 'initialized')).toEqual([]);
  expect(instances.map(({ providerId }) => providerId).toSorted()).toEqual(launched);
  expect(nodes.map(({ providerId }) => providerId).toSorted()).toEqual(launched);
  expect(nodes.filter(({ taints }) => taints.length > 0)).toEqual([]);

  const commands = await ports.commands.list();
  expect(commands.records.filter(({ decidedAt }) => decidedAt < clock.now() - 10 * 60_000)).toEqual([]);
  expect(await ports.commits.latest()).not.toHaveProperty('open');
  const launches = (await ports.launches.list()).records.map(({ record }) => record);
  expect(launches.filter(({ closedAt }) => closedAt === undefined)).toEqual([]);
  expect((await ports.sweepState.read())?.unexplained).toEqual({});
}
