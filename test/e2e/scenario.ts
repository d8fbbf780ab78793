import type { Delays } from './lab/aws/rules/rule.ts';
import type { Lab } from './lab/start-lab.ts';

/** The measurements of a scenario; names of numbers contain their unit. */
export type Measures = Readonly<Record<string, number | string>>;

/** One scenario, driven with kubectl. It throws if a check fails. */
export interface Scenario {
  readonly name: string;
  /** Names the scenario's NodePool and namespace, so that several can run in parallel. */
  readonly id: string;
  /** True if the scenario removes parts of the stack, so that it cannot be repeated. */
  readonly isOnce?: boolean;
  /** True if the next scenario uses the same nodes. */
  readonly keepsPool?: boolean;
  /** Rules that only cost time, for this scenario alone; by default none is in force. */
  readonly delays?: Delays;
  run(lab: Lab, world: World): Promise<Measures>;
}

/** The actions and reads of a scenario, within its own pool and namespace. */
export interface World {
  readonly id: string;
  /** Applies the pool, with additional fields of its spec. */
  pool(more?: PoolOptions): Promise<void>;
  /** Applies a Deployment whose pods run on the pool's nodes only. */
  deployment(name: string, replicas: number, options?: PodOptions): Promise<void>;
  scale(name: string, replicas: number): Promise<void>;
  /** Waits until this number of pods runs. @returns the pods */
  waitForRunning(pods: number, timeoutMs?: number): Promise<readonly PodView[]>;
  pods(): Promise<readonly PodView[]>;
  claims(): Promise<readonly ClaimView[]>;
  nodes(): Promise<readonly string[]>;
  /** Ids of the pool's running instances. */
  instances(): Promise<readonly string[]>;
  /** Waits until the pool has exactly `count` claims, nodes and instances. */
  waitForNodes(count: number, timeoutMs?: number): Promise<void>;
}

export interface PoolOptions {
  /** Nodes that may be disrupted at the same time; by default all. */
  readonly budget?: string;
  readonly capacityTypes?: readonly string[];
  readonly consolidateAfter?: string;
  readonly consolidationPolicy?: string;
  readonly instanceTypes?: readonly string[];
  /** Labels of its nodes. A change of them is drift. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, string>>;
  /** Default: the class of all scenarios. */
  readonly nodeClass?: string;
  readonly terminationGracePeriod?: string;
}

export interface PodOptions {
  readonly cpu?: string;
  readonly memory?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
}

export interface PodView {
  readonly name: string;
  readonly node: string;
  readonly isRunning: boolean;
  readonly isEnding: boolean;
}

export interface ClaimView {
  readonly name: string;
  readonly node: string;
  readonly providerId: string;
  readonly isEnding: boolean;
}

/**
 * @throws Error - the condition is false
 */
export function expect(isSo: boolean, what: string): asserts isSo {
  if (!isSo) throw new Error(what);
}

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
};
