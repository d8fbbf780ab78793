import { CRDS } from '../../shared/api/custom-resources/crds.ts';
import { requireReadable } from '../../shared/controllers/support/unreadable-records.ts';
import type { KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { findObject } from '../../shared/kubernetes/setup/apply-object.ts';
import { decideCrdOwnership, readCrd, versionOfOwnCrd } from '../../shared/kubernetes/setup/crd-ownership.ts';
import { areHooksPlaced } from '../../shared/kubernetes/setup/place-hooks.ts';
import { isDaemon } from '../../shared/model/pods/workload.ts';
import type { Ports } from '../../shared/ports/ports.ts';

/** A CRD in the cluster and its owner. */
export interface SurveyedCrd {
  readonly name: string;
  /** The other tool that manages it; `undefined` if Mortise does. */
  readonly keeper?: string;
}

/** Resources of Mortise in a cluster and its account. */
export interface Survey {
  readonly hasHooks: boolean;
  /** Names of claims that are not terminated. */
  readonly claims: readonly string[];
  readonly nodes: readonly string[];
  /** Provider ids. */
  readonly instances: readonly string[];
  /** Pods on these nodes, without DaemonSet pods. */
  readonly pods: number;
  readonly pools: readonly string[];
  readonly crds: readonly SurveyedCrd[];
}

type Sources = Pick<Ports, 'cluster' | 'cloud' | 'nodeClaims'>;

/** Reads the resources; changes nothing. */
export async function survey(ports: Sources, api: KubernetesApi): Promise<Survey> {
  const [objects, stored, instances, isHooked, crds] = await Promise.all([
    ports.cluster.observe(),
    ports.nodeClaims.list(),
    ports.cloud.instances(),
    areHooksPlaced(api),
    findCrds(api),
  ]);
  requireReadable('Claim', stored);
  const launched = new Set([
    ...stored.records.map(({ claim }) => claim.launch?.providerId),
    ...instances.map(({ providerId }) => providerId),
  ]);
  const nodes = objects.nodes.filter(({ providerId }) => launched.has(providerId));
  const names = new Set(nodes.map(({ name }) => name));
  return {
    hasHooks: isHooked,
    claims: stored.records.map(({ claim }) => claim.name),
    nodes: [...names],
    instances: instances.map(({ providerId }) => providerId),
    pods: objects.pods.filter((pod) => names.has(pod.nodeName ?? '') && !isDaemon(pod)).length,
    pools: objects.pools.map(({ name }) => name),
    crds,
  };
}

async function findCrds(api: KubernetesApi): Promise<readonly SurveyedCrd[]> {
  const resources = await Promise.all(
    CRDS.map(async (own) => ({
      name: own.metadata.name,
      version: versionOfOwnCrd(own),
      live: await findObject(api, own),
    })),
  );
  return resources.flatMap(({ name, version, live }) => {
    if (live === undefined) return [];
    const ownership = decideCrdOwnership(readCrd(live), version);
    return [{ name, ...(ownership.action === 'leave' && { keeper: ownership.keeper }) }];
  });
}
