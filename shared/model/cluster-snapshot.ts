import type { Labels } from './labels.ts';
import type { NodeClassState } from './nodes/drift.ts';
import type { Node } from './nodes/node.ts';
import type { NodeClaim } from './nodes/node-claim.ts';
import type { NodePool } from './nodes/node-pool.ts';
import type { InstanceType, Offering, UnavailableOffering } from './offerings/instance-type.ts';
import type { NodeOverlay } from './offerings/node-overlay.ts';
import type { CapacityBuffer } from './pods/capacity-buffer.ts';
import type { Devices } from './pods/devices.ts';
import type { Pod } from './pods/pod.ts';
import type { Storage } from './pods/storage.ts';
import type {
  DaemonSet,
  PodDisruptionBudget,
  PodOwner,
  QuotaRoom,
  Service,
} from './pods/workload.ts';
import type { DecisionSettings } from './settings.ts';
import type { EpochMs } from './time.ts';

/** An object that is there, but says something that this version does not understand. */
export interface UnreadableObject {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** The field and what is wrong with it. */
  readonly why: string;
  /** What must not be decided while it is missing: the lists are no ground to stand on. */
  readonly forbids: readonly ('launch' | 'remove')[];
}

/** Everything that a decision may look at. Plain data: it can be stored and decided on again. */
export interface ClusterSnapshot {
  readonly takenAt: EpochMs;
  /** Absent: as usual. */
  readonly settings?: DecisionSettings;
  /** The last commit that is in it: what is decided on it holds while there is no later one. */
  readonly epoch?: number;
  readonly pods: readonly Pod[];
  readonly nodes: readonly Node[];
  /** Claims that are not terminated. */
  readonly claims: readonly NodeClaim[];
  readonly pools: readonly NodePool[];
  readonly daemonSets: readonly DaemonSet[];
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  /** Of pods that came lately, as far as they could be read. */
  readonly owners?: readonly PodOwner[];
  /** Of namespaces where such an owner has pods to create. */
  readonly quotas?: readonly QuotaRoom[];
  /** Absent: nobody asked, for no pods are spread by default. */
  readonly services?: readonly Service[];
  /** Absent: nothing is known of volumes, and they are taken to be within reach everywhere. */
  readonly storage?: Storage;
  /** Absent: nobody asked, no pod claims any, or the cluster does not serve them. */
  readonly devices?: Devices;
  /** Labels of every namespace by name. */
  readonly namespaces: Readonly<Record<string, Labels>>;
  /** Instance types by NodePool: what its NodeClass can run. Pools of one class share the list. */
  readonly instanceTypes: Readonly<Record<string, readonly InstanceType[]>>;
  readonly offerings: readonly Offering[];
  /** By NodePool: where its NodeClass has subnets. Absent: wherever there are offerings. */
  readonly zones?: Readonly<Record<string, readonly string[]>>;
  /** By NodePool: where all subnets of its NodeClass are out of addresses. Absent: nowhere. */
  readonly fullZones?: Readonly<Record<string, readonly string[]>>;
  readonly unavailable: readonly UnavailableOffering[];
  /** Absent: nobody asked, or the feature gate is off. */
  readonly overlays?: readonly NodeOverlay[];
  /** The same. */
  readonly buffers?: readonly CapacityBuffer[];
  /** What nodes are held against; absent: nobody asked. */
  readonly nodeClasses?: readonly NodeClassState[];
  /** By NodePool: until when none of its drifted nodes is replaced, for the last could not be. */
  readonly driftRests?: Readonly<Record<string, EpochMs>>;
  /** Nodes and claims kept free for planned pods, by name, until when. */
  readonly nominations: Readonly<Record<string, EpochMs>>;
  /** Left out of the lists above. Absent: every object could be read. */
  readonly unreadable?: readonly UnreadableObject[];
}

/** The first object whose absence from the snapshot forbids such a decision. */
export const findMissingObject = (
  decision: 'launch' | 'remove',
  { unreadable = [] }: ClusterSnapshot,
): UnreadableObject | undefined => unreadable.find(({ forbids }) => forbids.includes(decision));
