import { isLabelValue } from '../../api/admission/metadata.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import {
  HOSTNAME_LABEL,
  NODECLASS_LABEL,
  NODEPOOL_HASH_ANNOTATION,
  NODEPOOL_LABEL,
  pickReadAnnotations,
} from '../../model/labels.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../../model/nodes/node-claim-object.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { planProvisioning } from '../../scheduling/plan-provisioning.ts';

/** Facts from which the instance types of a standalone claim are chosen. */
export type StandaloneOffers = Pick<ClusterSnapshot, 'takenAt' | 'offerings' | 'unavailable'> & {
  readonly instanceTypes: ClusterSnapshot['instanceTypes'][string];
};

/** Derives a NodePool without limits from a standalone NodeClaim. */
export const toSyntheticPool = ({ name, uid, nodeClass, ...claim }: NodeClaimObject): NodePool => ({
  name: claim.labels[NODEPOOL_LABEL] ?? name,
  uid,
  weight: 0,
  nodeClass,
  requirements: claim.requirements.filter(({ key }) => key !== NODEPOOL_LABEL && key !== HOSTNAME_LABEL),
  labels: claim.labels,
  annotations: {},
  taints: claim.taints,
  startupTaints: claim.startupTaints,
  limits: {},
  disruption: { consolidateAfterMs: 'Never', policy: 'WhenEmpty', budgets: [] },
  hash: '',
  ready: true,
  deleting: false,
});

/**
 * Builds the record of a NodeClaim that a user wrote by hand. Its types follow its requirements and
 * requests; it belongs to a pool only if it is labelled so. The API server does not check the values
 * of requirements, and no node can have a label with a value that is not valid.
 *
 * @returns undefined if no available offering satisfies it
 */
export function toStandaloneClaim(object: NodeClaimObject, offers: StandaloneOffers): NodeClaim | undefined {
  const values = object.requirements.flatMap((requirement) => requirement.values ?? []);
  if (!values.every(isLabelValue)) return undefined;

  const plan = planProvisioning(buildSnapshot(object, offers), toDecisionId(object), {
    anticipate: false,
  });
  const [planned] = plan.claims;
  return planned && toRecord(object, planned.claim.instanceTypes);
}

/** The record of a standalone claim, whose instance types need not be chosen yet. */
export function toRecord(object: NodeClaimObject, instanceTypes: NodeClaim['instanceTypes'] = []): NodeClaim {
  const owner = object.owners.find(({ kind }) => kind === 'NodePool');
  const { expireAfterMs, terminationGracePeriodMs } = object;
  return {
    name: object.name,
    uid: object.uid,
    pool: object.labels[NODEPOOL_LABEL] ?? '',
    ...(owner && { poolUid: owner.uid }),
    poolHash: object.annotations[NODEPOOL_HASH_ANNOTATION] ?? '',
    nodeClass: object.nodeClass,
    createdAt: object.createdAt,
    labels: { ...object.labels, [NODECLASS_LABEL]: object.nodeClass.name },
    annotations: pickReadAnnotations(object.annotations),
    taints: object.taints,
    startupTaints: object.startupTaints,
    requirements: object.requirements,
    instanceTypes,
    requests: object.requests,
    ...(expireAfterMs !== undefined && { expireAfterMs }),
    ...(terminationGracePeriodMs !== undefined && { terminationGracePeriodMs }),
    decision: toDecisionId(object),
  };
}

const toDecisionId = ({ uid }: NodeClaimObject): string => `by-hand-${uid}`;

/** A snapshot with a single pod as large as the claim's requests. */
function buildSnapshot(object: NodeClaimObject, { instanceTypes, ...offers }: StandaloneOffers): ClusterSnapshot {
  const pool = toSyntheticPool(object);
  return {
    ...offers,
    pods: [buildPod(object)],
    nodes: [],
    claims: [],
    pools: [pool],
    daemonSets: [],
    podDisruptionBudgets: [],
    namespaces: {},
    instanceTypes: { [pool.name]: instanceTypes },
    nominations: {},
  };
}

const buildPod = ({ name, uid, requests, createdAt }: NodeClaimObject): Pod => ({
  namespace: '',
  name,
  uid,
  labels: {},
  annotations: {},
  createdAt,
  phase: 'Pending',
  ready: false,
  unschedulableSince: createdAt,
  spec: {
    requests: { pods: 1, ...requests },
    tolerations: [{ operator: 'Exists' }],
    nodeSelector: {},
    requiredNodeTerms: [],
    preferredNodeTerms: [],
    topologySpread: [],
    podAffinity: [],
    podAntiAffinity: [],
    preferredPodAffinity: [],
    preferredPodAntiAffinity: [],
    hostPorts: [],
    volumeClaims: [],
    schedulingGates: [],
    priority: 0,
    terminationGracePeriodMs: 0,
  },
});
