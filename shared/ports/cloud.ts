import type { LaunchFailedError } from '../model/errors.ts';
import type { Impairment } from '../model/nodes/interruption.ts';
import type { Launch, NodeClaim } from '../model/nodes/node-claim.ts';
import type { NodePool } from '../model/nodes/node-pool.ts';
import type {
  CapacityType,
  InstanceType,
  Offering,
  OfferingPart,
} from '../model/offerings/instance-type.ts';
import type { NodeOverlay } from '../model/offerings/node-overlay.ts';
import type { ShiftedZone, ZonalShift, ZoneIds } from '../model/offerings/zones.ts';
import type { EpochMs } from '../model/time.ts';

export interface Catalogue {
  /** By NodePool name. */
  readonly instanceTypes: Readonly<Record<string, readonly InstanceType[]>>;
  readonly offerings: readonly Offering[];
  /** By NodePool name: where its class has subnets. Absent: wherever there are offerings. */
  readonly zones?: Readonly<Record<string, readonly string[]>>;
  /** By NodePool name: where every subnet of its class is out of addresses. Absent: nowhere. */
  readonly fullZones?: Readonly<Record<string, readonly string[]>>;
  /** By zone; absent: nobody knows. */
  readonly zoneIds?: ZoneIds;
}

/** One request to EC2, for claims that may all become the same. */
export interface LaunchRequest {
  /** Of its launch record: the request is known by it, and the instances carry it. */
  readonly id: string;
  /** Under another number it is another request. */
  readonly attempt: number;
  /** Equal but for their names; at least one. */
  readonly claims: readonly NodeClaim[];
  /** Whether an earlier call was made whose answer nobody got: what it launched is looked for first. */
  readonly isRepeated: boolean;
  /** Provider ids of what was launched under this id for other claims. */
  readonly known: readonly string[];
}

/** What EC2 had none of; in a placement group, of those who stand in it. */
export type ExhaustedOffering = Omit<Offering, 'hourlyUsd'> & Pick<OfferingPart, 'placementGroup'>;

/** Something that EC2 did not launch: for want of capacity, or for another cause. */
export interface LaunchFailure {
  /** Empty where EC2 did not say it, as its id is where nobody knows that. */
  readonly zone: string;
  readonly zoneId: string;
  readonly capacityType: CapacityType;
  /** As conditions name it: `FleetQuotaExceeded`. */
  readonly reason: string;
}

export interface LaunchResult {
  /** For the first of the claims, in their order. Fewer than claims: EC2 has no more. */
  readonly launches: readonly Launch[];
  /** Better offerings that EC2 had none of. */
  readonly unavailable: readonly ExhaustedOffering[];
  /** All that went wrong, whether something was launched or not; absent: nothing. */
  readonly failures?: readonly LaunchFailure[];
  /** Why no more were launched, where that is not for a lack of capacity. */
  readonly refusal?: LaunchFailedError;
  /** An earlier try of the refused request may have launched: that is looked for before the next. */
  readonly isUncertain?: boolean;
}

/** What EC2 and its tags tell of an instance. */
export interface InstanceFacts {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly pool: string;
  readonly nodeClass: string;
}

export interface Instance {
  readonly providerId: string;
  /** Empty if it was launched together with others: its launch record knows. */
  readonly claim: string;
  /** What people call it; absent: nobody has named it. */
  readonly name?: string;
  /** Of its launch record. Absent: a release without such records launched it. */
  readonly launchId?: string;
  readonly launchedAt?: EpochMs;
  /** What a record of it would be made from, if that is lost. */
  readonly facts?: InstanceFacts;
  /** Stopped: or on its way there. */
  readonly state: 'pending' | 'running' | 'stopped' | 'shutting-down' | 'terminated';
  /** Of its placement group, from 1 on; absent: it is in none, or EC2 does not tell it yet. */
  readonly partition?: number;
}

/** What is absent stays as it is. */
export interface InstanceNames {
  readonly claim?: string;
  /** For people: of its Node. */
  readonly name?: string;
}

/** EC2, as far as nodes go. */
export interface Cloud {
  /** @param overlays - they may price what EC2 has no price for; absent: nobody asks for them */
  catalogue(pools: readonly NodePool[], overlays?: readonly NodeOverlay[]): Promise<Catalogue>;

  /**
   * Starts an instance for each claim, as far as there is capacity: to have none is weather, not an
   * error. A repeated request is harmless. Throws only where nobody knows whether EC2 was asked.
   */
  launch(request: LaunchRequest): Promise<LaunchResult>;

  /** Every instance of this cluster that is not terminated. */
  instances(): Promise<readonly Instance[]>;
  /** Absent: gone, or never was. */
  instance(providerId: string): Promise<Instance | undefined>;
  /** What EC2 finds wrong with instances, whoever launched them. */
  impairments(): Promise<readonly Impairment[]>;
  /** Writes on an instance what it became; no error if gone. */
  nameInstance(providerId: string, names: InstanceNames): Promise<void>;
  /** Asks for termination; no error if gone. */
  terminate(providerId: string): Promise<void>;
}

export type ZonalShiftResult =
  /** Those in force: each zone once, with an end that is still to come. */
  | { readonly outcome: 'told'; readonly shifts: readonly ZonalShift[] }
  /** Nobody can shift this cluster. */
  | { readonly outcome: 'not-registered' }
  /** @see why - a sentence for who runs the cluster */
  | { readonly outcome: 'unknown'; readonly why: string };

/** Who knows which zones the cluster is shifted away from. */
export interface ShiftSource {
  findShifts(now: EpochMs): Promise<ZonalShiftResult>;
}

/** What the last who asked was told: one list, for all who launch or end something. */
export interface ZonalShifts {
  /** Those whose end has not come. */
  list(now: EpochMs): Promise<readonly ShiftedZone[]>;
  /**
   * Puts these in the place of all that were there.
   *
   * @returns those: of two who replace at once, the second gets what the first put there
   */
  replace(zones: readonly ShiftedZone[]): Promise<readonly ShiftedZone[]>;
}
