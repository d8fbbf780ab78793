import type { Reason } from '../explanations/reasons.ts';
import type { Labels } from '../labels.ts';
import type { RequirementSpec } from '../requirements/requirement-specs.ts';
import type { LabelSelector } from '../requirements/selectors.ts';
import type { Toleration } from '../requirements/taints.ts';
import type { Resources } from '../resources.ts';
import type { EpochMs } from '../time.ts';
import type { PodDeviceClaim, ResolvedDeviceClaim } from './devices.ts';

/** `namespace/name`. */
export type PodKey = string;

export interface OwnerReference {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** All expressions must hold. */
export type NodeSelectorTerm = readonly RequirementSpec[];

export interface TopologySpreadConstraint {
  readonly key: string;
  readonly maxSkew: number;
  readonly whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway';
  readonly selector?: LabelSelector;
  readonly matchLabelKeys: readonly string[];
  readonly minDomains?: number;
  readonly nodeAffinityPolicy: 'Honor' | 'Ignore';
  readonly nodeTaintsPolicy: 'Honor' | 'Ignore';
}

export interface PodAffinityTerm {
  readonly key: string;
  readonly selector?: LabelSelector;
  readonly matchLabelKeys: readonly string[];
  readonly namespaces: readonly string[];
  /** `undefined` for only `namespaces`, or for the pod's own namespace if that is empty too. */
  readonly namespaceSelector?: LabelSelector;
}

export interface Weighted<T> {
  readonly weight: number;
  readonly term: T;
}

export interface HostPort {
  readonly port: number;
  readonly protocol: string;
  /** Empty for every address of the node. */
  readonly ip: string;
}

/** A generic ephemeral volume: its claim is called `<pod>-<volume>`. */
export interface EphemeralVolume {
  readonly name: string;
  readonly storageClass?: string;
}

/** The result of resolving the volume and device claims of a pod. */
export interface ResolvedNeeds {
  /** Nodes that can reach the pod's volumes: any of these terms must hold; empty for every node. */
  readonly nodeTerms: readonly NodeSelectorTerm[];
  /** Devices that must be free on its node; `undefined` for none. */
  readonly devices?: readonly ResolvedDeviceClaim[];
  /** The requests of all pods that must share a node because they use the same device claim. */
  readonly together?: Resources;
  /** Why no node can run the pod now. */
  readonly refusal?: Reason;
}

/**
 * The part of a pod that scheduling, draining and pricing read. It never contains environment,
 * commands or secrets.
 */
export interface PodSpec {
  /** Effective requests of the whole pod, including `pods: 1`. */
  readonly requests: Resources;
  readonly nodeSelector: Labels;
  /** Any of these terms must hold; empty for no condition. */
  readonly requiredNodeTerms: readonly NodeSelectorTerm[];
  readonly preferredNodeTerms: readonly Weighted<NodeSelectorTerm>[];
  readonly tolerations: readonly Toleration[];
  readonly topologySpread: readonly TopologySpreadConstraint[];
  readonly podAffinity: readonly PodAffinityTerm[];
  readonly podAntiAffinity: readonly PodAffinityTerm[];
  readonly preferredPodAffinity: readonly Weighted<PodAffinityTerm>[];
  readonly preferredPodAntiAffinity: readonly Weighted<PodAffinityTerm>[];
  readonly hostPorts: readonly HostPort[];
  /** Names of PersistentVolumeClaims in the pod's namespace. */
  readonly volumeClaims: readonly string[];
  readonly ephemeralVolumes?: readonly EphemeralVolume[];
  /** Device claims (DRA); `undefined` for none. */
  readonly deviceClaims?: readonly PodDeviceClaim[];
  /** Set by the planner; manifests do not contain it. */
  readonly resolved?: ResolvedNeeds;
  readonly schedulingGates: readonly string[];
  readonly priority: number;
  readonly priorityClassName?: string;
  readonly terminationGracePeriodMs: number;
}

/** The template of a workload. Pods of one template share its `spec` object. */
export interface PodTemplate {
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly spec: PodSpec;
}

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

export interface Pod extends PodTemplate {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly createdAt: EpochMs;
  readonly owner?: OwnerReference;
  readonly phase: PodPhase;
  readonly ready: boolean;
  /** Since when kube-scheduler reports Unschedulable. */
  readonly unschedulableSince?: EpochMs;
  /** The Node that it is bound to. */
  readonly nodeName?: string;
  /** Names of the device claims that were generated for the pod, by the names in its spec. */
  readonly madeClaims?: Readonly<Record<string, string>>;
  /** The node for which kube-scheduler preempts other pods. */
  readonly nominatedNodeName?: string;
  readonly startedAt?: EpochMs;
  /** When the last of its containers started; `undefined` while none runs. */
  readonly runningAt?: EpochMs;
  /** The deletion timestamp, which is the end of the grace period. */
  readonly deletionAt?: EpochMs;
  /** Finalizers that its deletion waits for; `undefined` for none, and without a deletion. */
  readonly awaitedFinalizers?: readonly string[];
}

export const podKey = ({ namespace, name }: { namespace: string; name: string }): PodKey => `${namespace}/${name}`;

/** Returns the name in `namespace/name` or `Kind/name`, and a name without either unchanged. */
export const toObjectName = (key: string): string => key.slice(key.indexOf('/') + 1);

/** The uid of the pod's owner, or its own without an owner. */
export const toOwnerUid = ({ owner, uid }: Pick<Pod, 'owner' | 'uid'>): string => owner?.uid ?? uid;

/** Names the object whose pod template a user edits: the Deployment for a Deployment's pod. */
export function findTemplateOwner({ owner, name, labels }: Pod): string {
  if (!owner) return `Pod/${name}`;
  const suffix = `-${labels['pod-template-hash'] ?? ''}`;
  return owner.kind === 'ReplicaSet' && suffix !== '-' && owner.name.endsWith(suffix)
    ? `Deployment/${owner.name.slice(0, -suffix.length)}`
    : `${owner.kind}/${owner.name}`;
}
