import type { WrittenEC2NodeClass } from '../api/stored-objects/ec2-node-class.ts';
import type { Labels } from '../model/labels.ts';
import type {
  NodeClassCondition,
  NodeClassResolution,
  NodeImage,
  NodePlacementGroup,
  NodeReservation,
  NodeSecurityGroup,
  NodeSubnet,
} from '../model/nodes/resolved-node-class.ts';
import type { EpochMs } from '../model/time.ts';

/** An EC2NodeClass as it was written, with what it stood for then. Launches go by it. */
export interface ResolvedNodeClass extends NodeClassResolution {
  readonly written: WrittenEC2NodeClass;
}

/** The record of resolved classes. */
export interface NodeClasses {
  /** Absent: never resolved, or gone. */
  find(name: string): Promise<ResolvedNodeClass | undefined>;
  /** In the order of their names. */
  list(): Promise<readonly ResolvedNodeClass[]>;
  /** Stores it, unless what is there was resolved later. */
  save(resolved: ResolvedNodeClass): Promise<void>;
  /** No error if absent. */
  remove(name: string): Promise<void>;
}

/** An EC2NodeClass as the API server holds it. */
export interface NodeClassObject {
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly resourceVersion: string;
  readonly annotations: Labels;
  readonly finalizers: readonly string[];
  readonly isDeleting: boolean;
  /** What is wrong with it, if it cannot be read. */
  readonly spec:
    | { readonly outcome: 'read'; readonly written: WrittenEC2NodeClass }
    | { readonly outcome: 'unreadable'; readonly why: string };
  /** As last written; empty: nobody has judged it yet. */
  readonly conditions: readonly StoredCondition[];
  /** The generation that `conditions` are about. */
  readonly judgedGeneration?: number;
}

interface StoredCondition extends Pick<NodeClassCondition, 'status'> {
  readonly type: string;
  readonly since: EpochMs;
}

export type NodeClassStatus = Pick<
  NodeClassResolution,
  'subnets' | 'securityGroups' | 'images' | 'instanceProfile' | 'reservations' | 'conditions'
>;

/** What is not named stays. */
export interface NodeClassChange {
  readonly annotations?: Labels;
  /** The whole list. */
  readonly finalizers?: readonly string[];
}

/** The EC2NodeClasses in the API server. Both writes refuse an object that changed meanwhile. */
export interface NodeClassObjects {
  list(): Promise<readonly NodeClassObject[]>;
  /**
   * @returns the object as it is now
   * @throws StaleObjectError - somebody else changed or removed it
   */
  change(object: NodeClassObject, change: NodeClassChange): Promise<NodeClassObject>;
  /** @throws StaleObjectError - somebody else changed or removed it */
  writeStatus(object: NodeClassObject, status: NodeClassStatus, now: EpochMs): Promise<void>;
}

type Spec = WrittenEC2NodeClass['spec'];

/** Whose resource it is. */
export interface NodeClassIdentity {
  readonly name: string;
  readonly uid: string;
}

/** Whether nodes of a class may be launched, as far as EC2 can tell beforehand. */
export type DryRunResult =
  | { readonly outcome: 'allowed' }
  | { readonly outcome: 'refused'; readonly reason: string; readonly message: string };

/** The parts of an AWS account that classes point at, and those that we make for them. */
export interface NodeClassResources {
  /** Most free addresses first; empty: nothing matches. */
  subnets(terms: Spec['subnetSelectorTerms']): Promise<readonly NodeSubnet[]>;
  /** In the order of their ids; empty: nothing matches. */
  securityGroups(terms: Spec['securityGroupSelectorTerms']): Promise<readonly NodeSecurityGroup[]>;
  /** Newest first; empty: nothing matches. @param version - of the control plane: `1.34` */
  images(spec: Spec, version: string, now: EpochMs): Promise<readonly NodeImage[]>;
  /** By id, without those that have ended. One that is not known is left out. */
  reservations(
    terms: NonNullable<Spec['capacityReservationSelectorTerms']>,
    now: EpochMs,
  ): Promise<readonly NodeReservation[]>;
  /** Absent: there is none, or it cannot be used. */
  placementGroup(
    selector: NonNullable<Spec['placementGroupSelector']>,
  ): Promise<NodePlacementGroup | undefined>;
  /**
   * The name of the profile, made if the class names a role. Absent: it names one, and nobody here
   * can reach IAM.
   */
  instanceProfile(owner: NodeClassIdentity, spec: Spec): Promise<string | undefined>;
  /**
   * Has EC2 judge a launch without making it. Absent: this home asks for no such thing.
   *
   * @param tenancy - of the hardware
   *
   * Throws where EC2 gives no verdict: asked too often, or IAM is behind.
   */
  dryRunLaunch?(
    resolved: ResolvedNodeClass,
    tenancy: 'default' | 'dedicated',
  ): Promise<DryRunResult>;
  /** Takes away what was made for a class that is being deleted. No error if there is nothing. */
  release(owner: NodeClassIdentity): Promise<void>;
  /** Takes away launch templates that no launch has asked for lately. */
  sweepTemplates(now: EpochMs): Promise<void>;
  /** Takes away profiles of the cluster that are not among these, nor new, nor any instance's. */
  sweepProfiles(current: ReadonlySet<string>, now: EpochMs): Promise<void>;
}
