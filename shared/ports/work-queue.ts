import type { EpochMs } from '../model/time.ts';

/** Where to look, and no more: the receiver reads the state back. */
export type Hint =
  | { readonly topic: 'plan' }
  /** `generation`: of a wake-up, which another may have replaced. */
  | {
      readonly topic: 'claim';
      readonly claim: string;
      readonly generation?: number;
      /** EC2 said something of its instance: it is asked, however well the node looks. */
      readonly inDoubt?: true;
    }
  | { readonly topic: 'disrupt' }
  /** `tries`: how often it has failed since its tick. Absent: not yet. */
  | { readonly topic: 'sweep'; readonly tries?: number }
  /** What the EC2NodeClasses stand for. */
  | { readonly topic: 'class' }
  | { readonly topic: 'interruption'; readonly notice: InterruptionNotice };

export interface InterruptionNotice {
  readonly kind:
    | 'spot-interruption'
    /** The owner of a capacity reservation wants it back. */
    | 'reservation-interruption'
    | 'rebalance-recommendation'
    /** EC2 or Health will stop or restart it, days or hours from now. */
    | 'scheduled-change'
    /** It stops or has stopped, ends or has ended: EC2 shows it, so these are hints and no more. */
    | 'instance-stopped'
    | 'instance-terminated'
    /** Its Node has changed. */
    | 'state-change';
  /** EC2's events do not tell the zone: it may be empty here, as in `aws:////i-0123`. */
  readonly providerId: string;
  readonly at: EpochMs;
}

/** Hints may come twice, late or not at all; equal ones may be merged into the earliest. */
export interface WorkQueue {
  send(hint: Hint, at?: EpochMs): Promise<void>;
}
