import { StaleNodeClaimError } from '../model/errors.ts';
import type { ClusterEvent } from '../model/events.ts';
import type { Offering, UnavailableOffering } from '../model/instance-type.ts';
import type { Launch, NodeClaim } from '../model/node-claim.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../model/time.ts';
import type { Stored } from '../ports/node-claims.ts';
import type { Ports } from '../ports/ports.ts';
import { isOwner } from './owner.ts';
import { storeClaim } from './store-claim.ts';

/** How long EC2 is not asked again for what it had none of. */
export const UNAVAILABLE_FOR_MS = 3 * MINUTE_MS;
/** Room for other work between a refused launch and the next plan. */
const REPLAN_AFTER_MS = SECOND_MS;
const REPLAN_UNEXPLAINED_AFTER_MS = 10 * SECOND_MS;

type Dry = readonly Omit<Offering, 'hourlyUsd'>[];

/**
 * Starts the instance of a claim whose record is stored, and records what came of it. To repeat
 * it is harmless: the claim's name stands for one instance.
 *
 * @returns the launch; absent, if EC2 has no capacity, the claim changed in the meantime or the
 * cluster is not ours now: then its owner launches it
 */
export async function launchClaim(
  ports: Ports,
  { claim, version }: Stored,
): Promise<Launch | undefined> {
  if (!(await isOwner(ports))) return undefined;
  const result = await ports.cloud.launch(claim);
  const now = ports.clock.now();
  await rememberDry(ports, claim, result.unavailable, now);

  const next =
    result.outcome === 'launched' ? withLaunch(claim, result.launch) : withoutCapacity(claim, now);
  const stored = await storeUnlessStale(ports, next, version);
  if (!stored) return undefined;
  if (result.outcome === 'launched') return result.launch;

  await giveUp(ports, claim, result.unavailable, now);
  return undefined;
}

/** The claim's own labels win over the instance's. */
const withLaunch = (claim: NodeClaim, launch: Launch): NodeClaim => ({
  ...claim,
  launch,
  labels: { ...launch.labels, ...claim.labels },
});

const withoutCapacity = (claim: NodeClaim, at: EpochMs): NodeClaim => ({
  ...claim,
  deletingAt: at,
  terminatedAt: at,
  removal: 'InsufficientCapacity',
});

async function storeUnlessStale(ports: Ports, claim: NodeClaim, seen: number): Promise<boolean> {
  try {
    await storeClaim(ports, claim, seen);
    return true;
  } catch (error) {
    if (!(error instanceof StaleNodeClaimError)) throw error;
    // Who wrote meanwhile may not know of the instance: the next pass finds it by its claim.
    await ports.queue.send({ topic: 'claim', claim: claim.name });
    return false;
  }
}

async function rememberDry(
  { unavailableOfferings, journal }: Ports,
  { name }: NodeClaim,
  dry: Dry,
  now: EpochMs,
): Promise<void> {
  if (dry.length === 0) return;
  const until = now + UNAVAILABLE_FOR_MS;
  await unavailableOfferings.add(dry.map((offering) => remembered(offering, until)));
  const event: ClusterEvent = { kind: 'unavailable', at: now, offerings: dry, until, claim: name };
  await journal.happened(event);
}

const remembered = (
  { instanceType, zone, capacityType }: Dry[number],
  until: EpochMs,
): UnavailableOffering => ({ instanceType, zone, capacityType, until });

/** The pods are planned anew; at once only if that plan will know more than this one. */
async function giveUp(
  { cluster, queue }: Ports,
  { name }: NodeClaim,
  dry: Dry,
  now: EpochMs,
): Promise<void> {
  await cluster.removeNodeClaim(name);
  await queue.send(
    { topic: 'plan' },
    now + (dry.length > 0 ? REPLAN_AFTER_MS : REPLAN_UNEXPLAINED_AFTER_MS),
  );
}
