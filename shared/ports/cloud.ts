import type { LaunchFailedError } from '../model/errors.ts';
import type { Impairment } from '../model/nodes/interruption.ts';
import type { Launch, NodeClaim } from '../model/nodes/node-claim.ts';
import type { NodePool } from '../model/nodes/node-pool.ts';
import type { Commitment } from '../model/offerings/commitment.ts';
import type { CapacityType, InstanceType, Offering, OfferingPart } from '../model/offerings/instance-type.ts';
import type { NodeOverlay } from '../model/offerings/node-overlay.ts';
import type { ShiftedZone, ZonalShift, ZoneIds } from '../model/offerings/zones.ts';
import type { EpochMs } from '../model/time.ts';

export interface Catalogue {
  /** By NodePool name: the types that its NodeClass can run. */
  readonly instanceTypes: Readonly<Record<string, readonly InstanceType[]>>;
  readonly offerings: readonly Offering[];
  /**
   * By NodePool name: the zones in which its NodeClass has subnets. `undefined` allows every zone
   * that has offerings.
   */
  readonly zones?: Readonly<Record<string, readonly string[]>>;
  /** By NodePool name: the zones in which every subnet of its NodeClass is out of addresses. */
  readonly fullZones?: Readonly<Record<string, readonly string[]>>;
  /** Reserved instances of the account; `undefined` if they are not read. */
  readonly commitments?: readonly Commitment[];
  /** Zone ids by zone name; `undefined` if they are unknown. */
  readonly zoneIds?: ZoneIds;
  /** No price of the region is known: every `hourlyUsd` is a weight of the type's vCPUs and memory. */
  readonly unpriced?: true;
}

/** One call to EC2, for claims that differ only in their names. */
export interface LaunchRequest {
  /**
   * The id of the launch record. EC2 uses it as client token, and the instances carry it as a tag.
   */
  readonly id: string;
  /** A higher number makes EC2 treat the call as a new request. */
  readonly attempt: number;
  /** At least one claim; all are equal but for their names. */
  readonly claims: readonly NodeClaim[];
  /**
   * True if an earlier call got no answer. The adapter then first looks for the instances that it
   * launched.
   */
  readonly isRepeated: boolean;
  /** Provider ids of instances of this request that other claims already have. */
  readonly existingInstances: readonly string[];
}

/** An offering without capacity. If it names a placement group, only that group is affected. */
export type ExhaustedOffering = Omit<Offering, 'hourlyUsd'> & Pick<OfferingPart, 'placementGroup'>;

/** One reason why EC2 did not launch: insufficient capacity or another error. */
export interface LaunchFailure {
  /** Empty if EC2 did not name the zone. */
  readonly zone: string;
  readonly zoneId: string;
  readonly capacityType: CapacityType;
  /** The reason as conditions name it, for example `FleetQuotaExceeded`. */
  readonly reason: string;
}

export interface LaunchResult {
  /**
   * One for each of the first claims, in their order. Fewer launches than claims mean that EC2 has
   * no more capacity.
   */
  readonly launches: readonly Launch[];
  /** Better offerings for which EC2 had no capacity. */
  readonly unavailable: readonly ExhaustedOffering[];
  /** All errors of the call, also of a call that launched something. */
  readonly failures?: readonly LaunchFailure[];
  /** Why EC2 launched no more, unless the cause was a lack of capacity. */
  readonly refusal?: LaunchFailedError;
  /**
   * True if an earlier try of the refused request may have launched. The next attempt first looks
   * for its instances.
   */
  readonly isUncertain?: boolean;
}

/** The facts that EC2 and the tags tell about an instance. */
export interface InstanceFacts {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly pool: string;
  readonly nodeClass: string;
}

export interface Instance {
  readonly providerId: string;
  /**
   * Empty if the instance was launched together with others. The launch record then says which
   * claim it belongs to.
   */
  readonly claim: string;
  /** The name that the EC2 console shows; `undefined` if the instance has no name tag. */
  readonly name?: string;
  /** True if a user removed the tag `eks:eks-cluster-name`. */
  readonly lacksClusterTag?: true;
  /** The id of its launch record; `undefined` for instances that Karpenter launched. */
  readonly launchId?: string;
  readonly launchedAt?: EpochMs;
  /** The facts from which the sweep makes a new record if the record is lost. */
  readonly facts?: InstanceFacts;
  /** `stopped` includes instances that are stopping. */
  readonly state: 'pending' | 'running' | 'stopped' | 'shutting-down' | 'terminated';
  /**
   * The partition of its placement group, counted from 1; `undefined` if it has none or EC2 does
   * not report it yet.
   */
  readonly partition?: number;
}

/** The names to write. A field that is `undefined` stays as it is. */
export interface InstanceNames {
  readonly claim?: string;
  /** The name of the Node, which the EC2 console then shows. */
  readonly name?: string;
  /** True to write the tag `eks:eks-cluster-name`. */
  readonly clusterTag?: true;
}

/** The part of EC2 that the controllers use. */
export interface Cloud {
  /**
   * Returns types and offerings for these pools.
   *
   * @param overlays - NodeOverlays may set prices for offerings for which EC2 has none
   */
  catalogue(pools: readonly NodePool[], overlays?: readonly NodeOverlay[]): Promise<Catalogue>;

  /**
   * Starts an instance for each claim, as far as there is capacity. Insufficient capacity is an
   * expected result, not an error. Repeating a request does no harm.
   *
   * @throws only if the request may have reached EC2 and its outcome is unknown
   */
  launch(request: LaunchRequest): Promise<LaunchResult>;

  /** Lists every instance of this cluster that is not terminated. */
  instances(): Promise<readonly Instance[]>;
  /**
   * Finds several instances with one request for hundreds. An instance that EC2 does not show, for
   * example as it is seconds old, is missing in the result.
   */
  findInstances(providerIds: readonly string[]): Promise<readonly Instance[]>;
  /**
   * Finds an instance, also a terminated one as long as EC2 shows it (about an hour). `undefined` if EC2
   * does not show it: it ended long ago, or it is seconds old.
   */
  instance(providerId: string): Promise<Instance | undefined>;
  /** Lists failed status checks and scheduled events, also of instances that others launched. */
  impairments(): Promise<readonly Impairment[]>;
  /** Tags an instance with its names. Does nothing if the instance is gone. */
  nameInstance(providerId: string, names: InstanceNames): Promise<void>;
  /** Requests termination. Does nothing if the instance is gone. */
  terminate(providerId: string): Promise<void>;
  /**
   * Requests a reboot, which keeps the instance. Repeating the request does no harm.
   *
   * @throws RebootRefusedError - the instance is gone, or the right is missing
   */
  reboot(providerId: string): Promise<void>;
}

export type ZonalShiftResult =
  /** The shifts in force: each zone once, with an end in the future. */
  | { readonly outcome: 'told'; readonly shifts: readonly ZonalShift[] }
  /** The cluster is not registered for zonal shifts. */
  | { readonly outcome: 'not-registered' }
  /**
   * @see why - a sentence for the operator of the cluster
   */
  | {
      readonly outcome: 'unknown';
      readonly why: string;
      /** The caller has no right to ask, so that no later answer will differ. */
      readonly isDenied?: true;
    };

/** The service that knows which zones the cluster is shifted away from (ARC). */
export interface ShiftSource {
  findShifts(now: EpochMs): Promise<ZonalShiftResult>;
}

/** The stored zonal shifts, which all launches and terminations use. */
export interface ZonalShifts {
  /** Lists the shifts whose end has not come. */
  list(now: EpochMs): Promise<readonly ShiftedZone[]>;
  /**
   * Replaces the whole list.
   *
   * @returns the list that was replaced. If two callers replace it at once, the second gets the
   *   list of the first.
   */
  replace(zones: readonly ShiftedZone[]): Promise<readonly ShiftedZone[]>;
}
