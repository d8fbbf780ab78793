import { waitNoMore } from '../../lifecycle/wait.ts';
import { LaunchFailedError, StaleNodeClaimError } from '../../model/errors.ts';
import type { OfferingPart } from '../../model/instance-type.ts';
import type { Launch, NodeClaim } from '../../model/node-claim.ts';
import { lastEnd } from '../../model/shortages.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { LaunchAnswer, LaunchRequest } from '../../ports/cloud.ts';
import type { LaunchRecord, Stored } from '../../ports/records.ts';
import type { Ports } from '../../ports/ports.ts';
import { launchIdOf } from './launch-groups.ts';
import { answeredBy, beginCall, type Call, noteAnswer, waitingIn } from './launch-record.ts';
import { isOwner } from '../support/ownership.ts';
import { showRefusal } from './show-refusal.ts';
import { storeClaim } from '../support/store-claim.ts';

/** Room for other work between a refused launch and the next plan. */
const REPLAN_AFTER_MS = SECOND_MS;
const REPLAN_UNEXPLAINED_AFTER_MS = 10 * SECOND_MS;
/** What EC2 refuses, it refuses again for a while: 1 s, 2 s, 4 s and so on, up to a minute. */
const RETRY_FIRST_MS = SECOND_MS;
const RETRY_LAST_MS = MINUTE_MS;
const SHOWN_AFTER_MS = 10 * SECOND_MS;

/** By the names of the claims that have an instance now. */
export type Launched = ReadonlyMap<string, Launch>;
const NONE: Launched = new Map();

/**
 * Starts the instance of a claim that has none, together with those of the claims that share its
 * launch. Whoever was to do so has died, or is about to.
 *
 * @returns absent, if EC2 has no capacity, somebody else is asking EC2 just now, the claim changed in
 * the meantime or the cluster is not ours now: then its owner launches it
 */
export async function launchClaim(ports: Ports, stored: Stored): Promise<Launch | undefined> {
  const id = launchIdOf(stored.claim);
  const others = (await ports.nodeClaims.list()).filter(
    ({ claim }) => launchIdOf(claim) === id && isWaiting(claim) && claim.name !== stored.claim.name,
  );
  return (await launchTogether(ports, [stored, ...others])).get(stored.claim.name);
}

const isWaiting = ({ launch, deletingAt }: NodeClaim): boolean =>
  launch === undefined && deletingAt === undefined;

/**
 * Asks EC2 once for the instances of claims that share a launch, and records what came of it. To
 * repeat it is harmless: one at a time asks, under the id of the launch record.
 *
 * @throws whatever EC2 cannot be asked for: the answer is looked for when the call is over for sure
 */
export async function launchTogether(ports: Ports, group: readonly Stored[]): Promise<Launched> {
  const [first] = group;
  if (!first || !(await isOwner(ports))) return NONE;
  const id = launchIdOf(first.claim);
  const claims = group.map(({ claim }) => claim).filter(isWaiting);

  const call = await beginCall(ports, id, claims);
  const record = call ? await ask(ports, call, claims) : (await ports.launches.find(id))?.record;
  if (!record) return NONE;
  const launched = await Promise.all(group.map((stored) => conclude(ports, stored, record)));
  await planAnew(ports, record, group);
  return new Map(launched.flatMap((entry) => (entry ? [entry] : [])));
}

async function ask(ports: Ports, call: Call, claims: readonly NodeClaim[]): Promise<LaunchRecord> {
  const { record, isRepeated } = call;
  const { id, attempt, launches } = record;
  const waiting = new Set(waitingIn(record));
  const wanted = claims.filter(({ name }) => waiting.has(name));
  const known = Object.values(launches).map(({ providerId }) => providerId);

  const answer = await callEc2(ports, { id, attempt, claims: wanted, isRepeated, known }, record);
  await rememberDry(ports, wanted, answer.unavailable);
  const noted = await noteAnswer(ports, call, answer);
  if (answer.refusal) await showRefusal(ports, waitingIn(noted), answer.refusal);
  return noted;
}

async function callEc2(
  { cloud, queue }: Ports,
  request: LaunchRequest,
  record: LaunchRecord,
): Promise<LaunchAnswer> {
  if (request.claims.length === 0) return { launches: [], unavailable: [] };
  try {
    return await cloud.launch(request);
  } catch (error) {
    if (error instanceof LaunchFailedError) {
      return { launches: [], unavailable: [], refusal: error };
    }
    // Whether EC2 was asked nobody knows. When it is known what has become of it, somebody looks.
    for (const { name } of request.claims) {
      await queue.send({ topic: 'claim', claim: name }, answeredBy(record));
    }
    throw error;
  }
}

/** Brings one claim to what its launch record says. */
async function conclude(
  ports: Ports,
  { claim, version }: Stored,
  record: LaunchRecord,
): Promise<readonly [string, Launch] | undefined> {
  const { name } = claim;
  const launch = record.launches[name];
  if (launch) {
    const isStored = await storeUnlessStale(ports, withLaunch(claim, launch), version);
    return isStored ? [name, launch] : undefined;
  }
  if (isWithoutCapacity(record, name)) {
    const ended = endedAt(claim, ports.clock.now());
    if (await storeUnlessStale(ports, ended, version)) await ports.cluster.removeNodeClaim(name);
    return undefined;
  }
  await ports.queue.send({ topic: 'claim', claim: name }, nextLook(record, ports.clock.now()));
  return undefined;
}

const isWithoutCapacity = ({ closedAt, claims, launches }: LaunchRecord, name: string): boolean =>
  closedAt !== undefined && claims.includes(name) && !Object.hasOwn(launches, name);

function nextLook(record: LaunchRecord, now: EpochMs): EpochMs {
  if (!record.refused) return answeredBy(record);
  // EC2 shows what it has launched within seconds.
  if (record.uncertain) return now + SHOWN_AFTER_MS;
  return now + Math.min(RETRY_FIRST_MS * 2 ** (record.attempt - 1), RETRY_LAST_MS);
}

/** The claim's own labels win over the instance's. */
const withLaunch = (claim: NodeClaim, launch: Launch): NodeClaim => ({
  ...waitNoMore(claim),
  launch,
  labels: { ...launch.labels, ...claim.labels },
});

const endedAt = (claim: NodeClaim, at: EpochMs): NodeClaim => ({
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
    // Who wrote meanwhile may not know of the instance: the next pass finds it by the launch record.
    await ports.queue.send({ topic: 'claim', claim: claim.name });
    return false;
  }
}

type Dry = LaunchAnswer['unavailable'];

async function rememberDry(
  { unavailableOfferings, journal, clock }: Ports,
  [first]: readonly NodeClaim[],
  dry: Dry,
): Promise<void> {
  if (!first || dry.length === 0) return;
  const at = clock.now();
  const marked = await unavailableOfferings.mark(dry.map(partOf), at);
  const until = lastEnd(marked) ?? at;
  await journal.happened({ kind: 'unavailable', at, offerings: dry, until, claim: first.name });
}

const partOf = ({
  instanceType,
  zone,
  capacityType,
  placementGroup,
}: Dry[number]): OfferingPart => ({
  instanceType,
  zone,
  capacityType,
  ...(placementGroup !== undefined && { placementGroup }),
});

/** Pods whose claim EC2 has nothing for; at once only if that plan will know more than this one. */
async function planAnew(
  { queue, clock }: Ports,
  record: LaunchRecord,
  group: readonly Stored[],
): Promise<void> {
  if (!group.some(({ claim }) => isWithoutCapacity(record, claim.name))) return;
  const wait = record.foundDry ? REPLAN_AFTER_MS : REPLAN_UNEXPLAINED_AFTER_MS;
  await queue.send({ topic: 'plan' }, clock.now() + wait);
}
