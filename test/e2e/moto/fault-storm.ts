import assert from 'node:assert/strict';
import { EC2ServiceException } from '@aws-sdk/client-ec2';
import { sweep } from '../../../shared/controllers/sweep.ts';
import { CAPACITY_TYPE_LABEL, ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import type { Account } from './account.ts';
import { claimOf, launchAll, storeClaims } from './claims.ts';
import { liveInstances, tagsOf } from './ec2-state.ts';
import { createFaults, NO_FAULTS } from './faults.ts';
import { type MotoWorld, processHints, type Stage } from './world.ts';

const NODES = 1_000;
const SEED = 7;

const TYPES = [
  ['m7i.large', 'm6i.large', 'c7i.xlarge'],
  ['m7g.xlarge', 'c7g.xlarge'],
  ['r7i.large', 'r6i.large'],
  ['c7i.large', 'c6i.large', 'm7i.xlarge'],
  ['m7i.large'],
] as const;
const ZONES = [['us-east-1a', 'us-east-1b', 'us-east-1c'], ['us-east-1b'], ['us-east-1a', 'us-east-1c']];
const CAPACITY_TYPES = [['spot', 'on-demand'], ['on-demand'], ['spot']];

/** The kinds of nodes that a plan requests; each is a launch of its own. */
const KINDS = TYPES.flatMap((instanceTypes) =>
  ZONES.flatMap((zones) =>
    CAPACITY_TYPES.map((capacityTypes) => ({
      instanceTypes,
      requirements: [
        { key: ZONE_LABEL, operator: 'In', values: zones },
        { key: CAPACITY_TYPE_LABEL, operator: 'In', values: capacityTypes },
      ] as const,
    })),
  ),
);

/**
 * Launches a thousand nodes while EC2 throttles, lacks capacity, launches partly, loses responses
 * and shows instances late. Each claim must end with one instance of its own or report insufficient
 * capacity, and is then planned again. Surplus instances must be terminated.
 */
export const faultStorm: Stage = async (world, account) => {
  const { faulty } = account;
  const before = new Set((await liveInstances(account.truth)).map(({ InstanceId }) => InstanceId));
  const faults = createFaults(SEED, () => world.fake.now);
  faulty.faults = faults;
  account.exhaust(faults.isUnavailable);
  const first = faulty.requests.get('CreateFleet') ?? 0;

  let plans = 0;
  let refused = 0;
  let rounds = 0;
  let missing = NODES;
  while (missing > 0) {
    plans += 1;
    const names = await plan(world, missing, plans);
    // EC2 does not show the new instances yet; the sweep must not treat them as terminated.
    await sweepUntilCompleted(world);
    rounds += await processHints(world, () => areLaunchedOrTerminated(world, names));
    const claims = await Promise.all(names.map((name) => world.ports.nodeClaims.find(name)));
    const withoutCapacity = claims.filter((one) => one?.claim.terminatedAt !== undefined).length;
    refused += withoutCapacity;
    missing = withoutCapacity;
    // The next plan requests the missing capacity again, some time later.
    world.fake.now += MINUTE_MS;
  }

  assert.ok(faulty.counts.hidden > 0, 'no look fell into the time in which instances do not show');
  faulty.faults = NO_FAULTS;
  const surplus = await removeSurplus(world, account);
  const owned = await expectOneEach(world, account, before);
  return {
    launched: owned,
    plans,
    withoutCapacity: refused,
    rounds,
    fleets: (faulty.requests.get('CreateFleet') ?? 0) - first,
    surplus,
    faults: faulty.counts,
  };
};

async function plan(world: MotoWorld, count: number, nth: number): Promise<readonly string[]> {
  const claims = Array.from({ length: count }, (_, index): NodeClaim => {
    const kind = KINDS[(index + nth) % KINDS.length];
    return claimOf('default', { name: `storm-${nth}-${index}`, uid: `u-${nth}-${index}`, ...kind });
  });
  const records = await storeClaims(world, claims, `storm-${nth}`);
  await launchAll(world, records);
  return claims.map(({ name }) => name);
}

/** EC2 also throttles the requests of a sweep, which then fails. Lambda invokes it again, twice. */
async function sweepUntilCompleted({ ports }: MotoWorld): Promise<void> {
  for (let retriesLeft = 2; ; retriesLeft -= 1) {
    try {
      return await sweep(ports);
    } catch (error) {
      if (retriesLeft === 0 || !isThrottled(error)) throw error;
    }
  }
}

const isThrottled = (error: unknown): boolean =>
  error instanceof EC2ServiceException && error.name === 'RequestLimitExceeded';

async function areLaunchedOrTerminated({ ports }: MotoWorld, names: readonly string[]): Promise<boolean> {
  const waiting = new Set(
    (await ports.nodeClaims.list()).records.flatMap(({ claim }) => (claim.launch ? [] : claim.name)),
  );
  return !names.some((name) => waiting.has(name));
}

/** Terminates instances that were launched twice: this takes two sweeps a minute apart. */
async function removeSurplus({ ports, fake }: MotoWorld, { truth }: Account): Promise<number> {
  const before = (await liveInstances(truth)).length;
  for (let pass = 0; pass < 2; pass += 1) {
    fake.now += 2 * MINUTE_MS;
    await sweep(ports);
  }
  return before - (await liveInstances(truth)).length;
}

async function expectOneEach(
  world: MotoWorld,
  { truth }: Account,
  before: ReadonlySet<string | undefined>,
): Promise<number> {
  const live = (await liveInstances(truth)).filter(({ InstanceId }) => !before.has(InstanceId));
  const claims = (await world.claims()).filter(({ name }) => name.startsWith('storm-'));
  const ids = claims.map(({ launch }) => launch?.providerId.split('/').at(-1));
  assert.equal(claims.length, NODES, 'claims that live');
  assert.equal(new Set(ids).size, NODES, 'two claims have one instance');
  assert.deepEqual(
    new Set(live.map(({ InstanceId }) => InstanceId)),
    new Set(ids),
    'instances that run are not those that claims have',
  );
  for (const { Tags } of live) assert.ok(tagsOf(Tags)['mortise.sh/launch']?.startsWith('storm-'));
  return live.length;
}
