import type { Node } from '../model/node.ts';
import type { Pod } from '../model/pod.ts';
import type { EpochMs } from '../model/time.ts';

/** What there is of a claim outside of its record. */
export interface Observed {
  readonly now: EpochMs;
  /** Nodes with the provider id of the claim's launch. */
  readonly nodes: readonly Node[];
  /** Bound to those nodes; read for a claim on its way out alone. */
  readonly pods: readonly Pod[];
  /** Absent: nobody asked EC2. */
  readonly instance?: InstanceSeen;
}

export interface InstanceSeen {
  /** Of the instance that carries the claim's name, if its launch never came to the record. */
  readonly providerId?: string;
  readonly state: 'pending' | 'running' | 'shutting-down' | 'gone';
}
