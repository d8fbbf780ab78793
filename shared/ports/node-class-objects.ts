import type { WrittenEC2NodeClass } from '../api/ec2-node-class.ts';
import type { Labels } from '../model/labels.ts';
import type { NodeClassCondition, NodeClassResolution } from '../model/resolved-node-class.ts';
import type { EpochMs } from '../model/time.ts';

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
  readonly conditions: readonly ShownCondition[];
  /** The generation that `conditions` are about. */
  readonly judgedGeneration?: number;
}

export interface ShownCondition extends Pick<NodeClassCondition, 'status'> {
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
