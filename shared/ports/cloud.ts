import type { InstanceType, Offering } from '../model/instance-type.ts';
import type { Launch, NodeClaim } from '../model/node-claim.ts';
import type { NodePool } from '../model/node-pool.ts';

export interface Catalogue {
  /** By NodePool name. */
  readonly instanceTypes: Readonly<Record<string, readonly InstanceType[]>>;
  readonly offerings: readonly Offering[];
}

/** No capacity is weather, not an error. */
export type LaunchOutcome =
  | {
      readonly outcome: 'launched';
      readonly launch: Launch;
      /** Cheaper offerings that EC2 had none of. */
      readonly unavailable: readonly Omit<Offering, 'hourlyUsd'>[];
    }
  | {
      readonly outcome: 'unavailable';
      readonly unavailable: readonly Omit<Offering, 'hourlyUsd'>[];
    };

export interface Instance {
  readonly providerId: string;
  readonly claim: string;
  readonly state: 'pending' | 'running' | 'shutting-down' | 'terminated';
}

/** EC2, as far as nodes go. */
export interface Cloud {
  catalogue(pools: readonly NodePool[]): Promise<Catalogue>;

  /**
   * Starts one instance for the claim; the claim's name makes a repeated call harmless.
   *
   * @throws LaunchFailedError - refused for another cause than a lack of capacity
   */
  launch(claim: NodeClaim): Promise<LaunchOutcome>;

  /** Every instance of this cluster that is not terminated. */
  instances(): Promise<readonly Instance[]>;
  /** Absent: gone, or never was. */
  instance(providerId: string): Promise<Instance | undefined>;
  /** Asks for termination; no error if gone. */
  terminate(providerId: string): Promise<void>;
}
