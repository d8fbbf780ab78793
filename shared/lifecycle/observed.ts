import type { Node } from '../model/nodes/node.ts';
import type { NodeClaimObject } from '../model/nodes/node-claim-object.ts';
import type { ShiftedZone } from '../model/offerings/zones.ts';
import type { Devices } from '../model/pods/devices.ts';
import type { Pod } from '../model/pods/pod.ts';
import type { AttachedVolume } from '../model/pods/storage.ts';
import type { EpochMs } from '../model/time.ts';

/** What there is of a claim outside of its record. */
export interface Observed {
  readonly now: EpochMs;
  /** Nodes with the provider id of the claim's launch. */
  readonly nodes: readonly Node[];
  /** Bound to those nodes; read for a claim on its way out alone. */
  readonly pods: readonly Pod[];
  /** Of the Node; absent: nobody asked, for it is too early or too late to wait for them. */
  readonly volumes?: readonly AttachedVolume[];
  /** Absent: nobody asked, for it waits for none, or they are not served. */
  readonly devices?: Devices;
  /** The claim as the cluster shows it; absent: nobody could tell. */
  readonly object?: NodeClaimObject | 'missing';
  /** Absent: nobody asked EC2. */
  readonly instance?: ObservedInstance;
}

export interface ObservedInstance {
  /** Of the instance that carries the claim's name, if its launch never came to the record. */
  readonly providerId?: string;
  readonly state: 'pending' | 'running' | 'stopped' | 'shutting-down' | 'gone';
  /** Of its placement group; absent: none, or EC2 does not tell it yet. */
  readonly partition?: number;
  /** A zonal shift leads away from it: EC2 was not asked, and it is taken to run. */
  readonly shift?: ShiftedZone;
}
