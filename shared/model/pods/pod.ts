import type { Reason } from '../explanations/reasons.ts';
import type { Labels } from '../labels.ts';
import type { RequirementSpec } from '../requirements/requirement-specs.ts';
import type { LabelSelector } from '../requirements/selectors.ts';
import type { Toleration } from '../requirements/taints.ts';
import type { Resources } from '../resources.ts';
import type { EpochMs } from '../time.ts';
import type { PodDeviceClaim, WantedDevices } from './devices.ts';

/** `namespace/name`. */
export type PodKey = string;

export interface OwnerReference {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** All of the expressions must hold. */
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
  /** Absent: only `namespaces`, or the pod's own when that is empty too. */
  readonly namespaceSelector?: LabelSelector;
}

export interface Weighted<T> {
  readonly weight: number;
  readonly term: T;
}

export interface HostPort {
  readonly port: number;
  readonly protocol: string;
  /** Empty: every address of the node. */
  readonly ip: string;
}

/** A volume that lives as long as its pod: its claim is called `<pod>-<volume>`. */
export interface EphemeralVolume {
  readonly name: string;
  readonly storageClass?: string;
}

/** What planning found out about objects that a pod names. */
export interface SettledNeeds {
  /** Nodes that reach the pod's volumes: any one of these must hold; none means every node. */
  readonly nodeTerms: readonly NodeSelectorTerm[];
  /** Devices that have to be free on its node; absent: none. */
  readonly devices?: readonly WantedDevices[];
  /** What all pods ask for that must share a node, for the devices of one claim are there. */
  readonly together?: Resources;
  /** Why no node would do now. */
  readonly refusal?: Reason;
}

/** What scheduling, draining and money read of a pod: never its environment, commands or secrets. */
export interface PodSpec {
  /** Effective requests of the whole pod, `pods: 1` included. */
  readonly requests: Resources;
  readonly nodeSelector: Labels;
  /** Any one of them must hold; none at all means no condition. */
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
  /** Claims of devices (DRA); absent: none. */
  readonly deviceClaims?: readonly PodDeviceClaim[];
  /** Set while planning; no manifest says it. */
  readonly settled?: SettledNeeds;
  readonly schedulingGates: readonly string[];
  readonly priority: number;
  readonly priorityClassName?: string;
  readonly terminationGracePeriodMs: number;
}

/** What workloads stamp pods from. Pods of one template share its `spec` object. */
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
  /** Since when kube-scheduler says Unschedulable. */
  readonly unschedulableSince?: EpochMs;
  /** Bound to this Node. */
  readonly nodeName?: string;
  /** Claims of devices that were made for it: their names by what the pod calls them. */
  readonly madeClaims?: Readonly<Record<string, string>>;
  /** Set while the pod preempts others: kube-scheduler has a place for it. */
  readonly nominatedNodeName?: string;
  readonly startedAt?: EpochMs;
  /** The deletion timestamp: when the grace period ends. */
  readonly deletionAt?: EpochMs;
}

export const podKey = ({ namespace, name }: { namespace: string; name: string }): PodKey =>
  `${namespace}/${name}`;
