import type { WrittenEC2NodeClass } from '../api/stored-objects/ec2-node-class.ts';
import type { Labels } from '../model/labels.ts';
import type { NodeAccess, NodeOs } from '../model/nodes/node-access.ts';
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

/**
 * An EC2NodeClass as it was written, with the AWS resources that it resolved to. Launches use this
 * copy.
 */
export interface ResolvedNodeClass extends NodeClassResolution {
  readonly written: WrittenEC2NodeClass;
}

/** The records of resolved NodeClasses. */
export interface NodeClasses {
  /** Returns `undefined` if the NodeClass is gone or was never resolved. */
  find(name: string): Promise<ResolvedNodeClass | undefined>;
  /** Lists them by name. */
  list(): Promise<readonly ResolvedNodeClass[]>;
  /** Stores the resolution, unless the stored one is newer. */
  save(resolved: ResolvedNodeClass): Promise<void>;
  /** Does nothing if there is no record. */
  remove(name: string): Promise<void>;
}

/** An EC2NodeClass as the API server has it. */
export interface NodeClassObject {
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly resourceVersion: string;
  readonly annotations: Labels;
  readonly finalizers: readonly string[];
  readonly isDeleting: boolean;
  /** The spec, or why it cannot be read. */
  readonly spec:
    | { readonly outcome: 'read'; readonly written: WrittenEC2NodeClass }
    | { readonly outcome: 'unreadable'; readonly why: string };
  /** The conditions that were last written; empty before the first evaluation. */
  readonly conditions: readonly StoredCondition[];
  /** The generation that `conditions` refer to. */
  readonly observedGeneration?: number;
}

interface StoredCondition extends Pick<NodeClassCondition, 'status' | 'reason'> {
  readonly type: string;
  readonly since: EpochMs;
}

export type NodeClassStatus = Pick<
  NodeClassResolution,
  'subnets' | 'securityGroups' | 'images' | 'instanceProfile' | 'reservations' | 'conditions'
>;

/** The changes to make. A field that is `undefined` stays as it is. */
export interface NodeClassChange {
  readonly annotations?: Labels;
  /** The complete list. */
  readonly finalizers?: readonly string[];
}

/** The EC2NodeClasses in the API server. Both writes fail if the object has changed meanwhile. */
export interface NodeClassObjects {
  list(): Promise<readonly NodeClassObject[]>;
  /**
   * @returns the object as it is now
   * @throws StaleObjectError - another writer changed or removed it
   */
  change(object: NodeClassObject, change: NodeClassChange): Promise<NodeClassObject>;
  /**
   * @throws StaleObjectError - another writer changed or removed it
   */
  writeStatus(object: NodeClassObject, status: NodeClassStatus, now: EpochMs): Promise<void>;
}

type Spec = WrittenEC2NodeClass['spec'];

/** The NodeClass that owns an AWS resource. */
export interface NodeClassIdentity {
  readonly name: string;
  readonly uid: string;
}

/** The result of a dry-run launch: EC2 would allow launches of the NodeClass, or refuse them. */
export type DryRunResult =
  | { readonly outcome: 'allowed' }
  | { readonly outcome: 'refused'; readonly reason: string; readonly message: string };

/** The AWS resources that NodeClasses refer to, and those that we create for them. */
export interface NodeClassResources {
  /** Lists the subnet with most free addresses first; empty if nothing matches. */
  subnets(terms: Spec['subnetSelectorTerms']): Promise<readonly NodeSubnet[]>;
  /** Lists by id; empty if nothing matches. */
  securityGroups(terms: Spec['securityGroupSelectorTerms']): Promise<readonly NodeSecurityGroup[]>;
  /**
   * Lists the newest image first; empty if nothing matches.
   *
   * @param version - of the control plane, for example `1.34`
   */
  images(spec: Spec, version: string, now: EpochMs): Promise<readonly NodeImage[]>;
  /** Lists by id, without reservations that have ended or do not exist. */
  reservations(
    terms: NonNullable<Spec['capacityReservationSelectorTerms']>,
    now: EpochMs,
  ): Promise<readonly NodeReservation[]>;
  /** Returns `undefined` if there is no such group or it cannot be used. */
  placementGroup(selector: NonNullable<Spec['placementGroupSelector']>): Promise<NodePlacementGroup | undefined>;
  /**
   * Returns the name of the instance profile, and creates the profile if the NodeClass names a
   * role. Returns `undefined` if the NodeClass names a role and this runtime cannot reach IAM.
   */
  instanceProfile(owner: NodeClassIdentity, spec: Spec): Promise<string | undefined>;
  /**
   * Finds out how nodes of an instance profile get access to the cluster, and creates the access
   * entry of their role if there is none. `undefined` if this runtime cannot ask.
   */
  nodeAccess?(profile: string, os: NodeOs): Promise<NodeAccess>;
  /**
   * Makes a dry-run launch in EC2. `undefined` if this runtime makes no dry runs.
   *
   * @param tenancy - of the hardware
   * @throws ProfilePropagationError - EC2 does not know the new instance profile yet
   * @throws if EC2 gives no result, for example while it throttles requests
   */
  dryRunLaunch?(resolved: ResolvedNodeClass, tenancy: 'default' | 'dedicated'): Promise<DryRunResult>;
  /** Deletes the resources that were created for a NodeClass. Does nothing if there are none. */
  release(owner: NodeClassIdentity): Promise<void>;
  /** Deletes launch templates that no launch has used recently. */
  sweepTemplates(now: EpochMs): Promise<void>;
  /**
   * Deletes the cluster's instance profiles that are neither in `current`, nor new, nor in use by
   * an instance.
   */
  sweepProfiles(current: ReadonlySet<string>, now: EpochMs): Promise<void>;
}
