import { SECOND_MS } from '../../../shared/model/time.ts';

export interface CapacityLimits {
  /** Units per second and partition key. */
  readonly readUnits: number;
  readonly writeUnits: number;
  /**
   * For how long unused capacity is kept. DynamoDB keeps 300 s, but promises none of it; a test of
   * the worst case sets 1, so that nothing is kept.
   */
  readonly burstSeconds: number;
}

/** @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/burst-adaptive-capacity.html */
export const PARTITION_LIMITS: CapacityLimits = {
  readUnits: 3_000,
  writeUnits: 1_000,
  burstSeconds: 300,
};

/** The capacity that one partition key has left, for reads or for writes. */
class Bucket {
  readonly #perSecond: number;
  readonly #max: number;
  #left: number;
  #at: number;

  constructor(perSecond: number, burstSeconds: number, now: number) {
    this.#perSecond = perSecond;
    this.#max = perSecond * burstSeconds;
    this.#left = this.#max;
    this.#at = now;
  }

  hasSome(now: number): boolean {
    const gained = ((now - this.#at) / SECOND_MS) * this.#perSecond;
    this.#left = Math.min(this.#left + gained, this.#max);
    this.#at = now;
    return this.#left > 0;
  }

  /** A request that was admitted may cost more than was left; the next ones wait for it. */
  spend(units: number): void {
    this.#left -= units;
  }
}

/** Counts what each partition key has used. Nothing is lent between keys: no adaptive capacity. */
export class PartitionCapacity {
  readonly #limits: CapacityLimits;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limits: CapacityLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  hasSome(access: 'read' | 'write', pk: string): boolean {
    return this.#bucket(access, pk).hasSome(this.#now());
  }

  spend(access: 'read' | 'write', pk: string, units: number): void {
    this.#bucket(access, pk).spend(units);
  }

  #bucket(access: 'read' | 'write', pk: string): Bucket {
    const key = `${access} ${pk}`;
    const { readUnits, writeUnits, burstSeconds } = this.#limits;
    const perSecond = access === 'read' ? readUnits : writeUnits;
    const bucket = this.#buckets.get(key) ?? new Bucket(perSecond, burstSeconds, this.#now());
    this.#buckets.set(key, bucket);
    return bucket;
  }
}
