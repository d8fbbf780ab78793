import { LaunchFailedError, PodHeldError } from '../../../shared/model/errors.ts';
import type { Launch } from '../../../shared/model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../../../shared/model/nodes/node-claim-object.ts';
import type { AttachedVolume } from '../../../shared/model/pods/storage.ts';
import { type EpochMs, SECOND_MS } from '../../../shared/model/time.ts';
import type { Cloud, Instance, LaunchRequest, LaunchResult } from '../../../shared/ports/cloud.ts';
import type { Cluster } from '../../../shared/ports/cluster.ts';
import type { SimInstance } from '../../../shared/simulation/cloud/instances.ts';
import type { OpenWorld } from '../../../shared/simulation/create-world.ts';
import type { FaultPlan } from '../runtime/fault-plan.ts';
import { applyEdits, createEditedObjects, type EditedObjects } from './edited-objects.ts';

/** How long a volume stays attached after its last pod has left the node. */
const DETACH_MS = 6 * SECOND_MS;

/** The changes of other actors for which the simulation has no store. */
export interface Surroundings {
  readonly cluster: Cluster;
  readonly cloud: Cloud;
  /** Provider ids of instances that Mortise does not own. */
  readonly foreignInstances: Set<string>;
  /** Provider ids of instances without our tags, which are therefore in no list. */
  readonly untaggedInstances: Set<string>;
  /** NodeClaims of Karpenter, by name. */
  readonly otherClaims: Map<string, NodeClaimObject>;
  /** Deletion requests of users for NodeClaims, by name. */
  readonly deletedClaims: Map<string, EpochMs>;
  readonly edited: EditedObjects;
  /** By workload: a webhook denies evictions of its pods until this time. */
  readonly deniedEvictions: Map<string, EpochMs>;
  /** Times in which another owner has the cluster. */
  readonly standBys: { readonly from: EpochMs; readonly until: EpochMs }[];
  /** Pools whose launches EC2 refuses, and until when. */
  readonly refusals: Map<string, { readonly until: EpochMs; readonly isUncertain: boolean }>;
  /** Keys of rows that cannot be read. */
  readonly spoiltRows: Set<string>;
}

export function createSurroundings(open: OpenWorld, faults: FaultPlan, hasClientTokens: boolean): Surroundings {
  const { world, instances } = open;
  const { now } = world.clock;
  const hiddenUntil = new Map<string, EpochMs>();
  const volumes = watchVolumes(open);
  const parts = {
    foreignInstances: new Set<string>(),
    untaggedInstances: new Set<string>(),
    otherClaims: new Map<string, NodeClaimObject>(),
    deletedClaims: new Map<string, EpochMs>(),
    edited: createEditedObjects(),
    deniedEvictions: new Map<string, EpochMs>(),
    standBys: [] as { from: EpochMs; until: EpochMs }[],
    refusals: new Map<string, { until: EpochMs; isUncertain: boolean }>(),
    spoiltRows: new Set<string>(),
  };
  let launchCalls = 0;

  instances.watch(({ before, after }) => {
    if (before || !after || parts.untaggedInstances.has(after.providerId)) return;
    const hidden = faults.strike('hidden-instances');
    if (hidden) hiddenUntil.set(after.providerId, now() + hidden.ms);
  });
  const isHidden = (providerId: string): boolean => now() < (hiddenUntil.get(providerId) ?? 0);
  const isListed = ({ providerId }: Instance): boolean =>
    !parts.foreignInstances.has(providerId) && !parts.untaggedInstances.has(providerId) && !isHidden(providerId);

  async function launch(request: LaunchRequest): Promise<LaunchResult> {
    const [first] = request.claims;
    const refusal = parts.refusals.get(first?.pool ?? '');
    const isRefused = first !== undefined && refusal !== undefined && now() < refusal.until;
    // EC2 launches fewer, but the look-up by tag finds all instances of an earlier attempt.
    const earlier = request.isRepeated ? instances.list().filter(isOfRequest(request)).length : 0;
    if (isRefused && !refusal.isUncertain) {
      if (earlier === 0) return refuse(first.name, false);
      const existing = { ...request, claims: request.claims.slice(0, earlier) };
      const { launches, unavailable } = await world.ports.cloud.launch(existing);
      const isWhole = launches.length === request.claims.length;
      return isWhole ? { launches, unavailable } : { ...refuse(first.name, false), launches };
    }

    launchCalls += 1;
    const hidden = instances.list().map(({ providerId }) => providerId);
    const isPartial = earlier < request.claims.length && faults.strike('partial-launch');
    const claims = isPartial ? request.claims.slice(0, -1) : request.claims;
    const answer = await world.ports.cloud.launch({
      ...request,
      claims,
      attempt: hasClientTokens ? request.attempt : 1_000 + launchCalls,
      // The look-up by tag does not find what EC2 does not show yet.
      existingInstances: [...request.existingInstances, ...hidden.filter(isHidden)],
    });
    if (isPartial) answer.launches.forEach(removeClaimTag);
    return isRefused ? refuse(first.name, true) : answer;
  }

  /** EC2 launched fewer than requested, so the instances have no tag of a single claim. */
  function removeClaimTag({ providerId }: Launch): void {
    const { claimTag: _, ...instance } = instances.get(providerId) ?? {};
    if ('providerId' in instance) instances.put(providerId, instance);
  }

  const isOfRequest =
    ({ id, existingInstances }: LaunchRequest) =>
    ({ launchId, providerId }: SimInstance): boolean =>
      launchId === id && !existingInstances.includes(providerId) && !isHidden(providerId);

  return {
    ...parts,
    cluster: {
      ...world.ports.cluster,
      async observe(scope) {
        const objects = await world.ports.cluster.observe(scope);
        const shown = { ...objects, nodeClaims: listClaimObjects(objects.nodeClaims, parts) };
        return applyEdits(shown, parts.edited, now());
      },
      async evict(pod) {
        if (now() < (parts.deniedEvictions.get(pod.labels.app ?? '') ?? 0))
          throw new PodHeldError(pod.name, { why: 'the webhook "policy" denied the request' });
        return world.ports.cluster.evict(pod);
      },
      async projectNodeClaim(claim, readLatest) {
        parts.otherClaims.delete(claim.name);
        await world.ports.cluster.projectNodeClaim(claim, readLatest);
      },
      async removeNodeClaim(name) {
        parts.otherClaims.delete(name);
        parts.deletedClaims.delete(name);
        await world.ports.cluster.removeNodeClaim(name);
      },
      attachedVolumes: async (node) => volumes(node),
    },
    cloud: {
      ...world.ports.cloud,
      launch,
      instances: async () => (await world.ports.cloud.instances()).filter(isListed),
      findInstances: async (providerIds) =>
        world.ports.cloud.findInstances(providerIds.filter((providerId) => !isHidden(providerId))),
      instance: async (providerId) => (isHidden(providerId) ? undefined : world.ports.cloud.instance(providerId)),
    },
  };
}

const refuse = (claim: string, isUncertain: boolean): LaunchResult => ({
  launches: [],
  unavailable: [],
  refusal: new LaunchFailedError(claim, 'VcpuLimitExceeded', 'the quota is used up'),
  ...(isUncertain && { isUncertain }),
});

function listClaimObjects(
  own: readonly NodeClaimObject[],
  { otherClaims, deletedClaims }: Pick<Surroundings, 'otherClaims' | 'deletedClaims'>,
): readonly NodeClaimObject[] {
  const names = new Set(own.map(({ name }) => name));
  const others = [...otherClaims.values()].filter(({ name }) => !names.has(name));
  return [...own, ...others].map((object) => {
    const deletionAt = deletedClaims.get(object.name);
    return deletionAt === undefined || object.deletionAt !== undefined ? object : { ...object, deletionAt };
  });
}

/** Lists the volumes of pods that are on a node or have just left it. */
function watchVolumes({ api, world }: OpenWorld): (node: string) => readonly AttachedVolume[] {
  const detaching: { node: string; claim: string; until: EpochMs }[] = [];
  api.pods.watch(({ before, after }) => {
    if (!before?.nodeName || after?.nodeName === before.nodeName) return;
    for (const name of before.spec.volumeClaims) {
      const claim = `${before.namespace}/${name}`;
      detaching.push({ node: before.nodeName, claim, until: world.clock.now() + DETACH_MS });
    }
  });
  return (node) => {
    const attached = [...api.pods.onNode(node).values()].flatMap(({ namespace, spec }) =>
      spec.volumeClaims.map((name) => `${namespace}/${name}`),
    );
    const leaving = detaching.filter((one) => one.node === node && world.clock.now() < one.until);
    const claims = new Set([...attached, ...leaving.map(({ claim }) => claim)]);
    return [...claims].map((claim) => ({ name: `attachment-${claim}`, claim }));
  };
}

/** The instance runs or starts. */
export const isLive = ({ state }: Pick<SimInstance, 'state'>): boolean => state !== 'shutting-down';
