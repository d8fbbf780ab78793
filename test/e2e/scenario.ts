import type { Lab } from './lab/start-lab.ts';

/** What a scenario measured: numbers carry their unit in the name. */
export type Measures = Readonly<Record<string, number | string>>;

/** One story, told with kubectl. It throws when something is not as it should be. */
export interface Scenario {
  readonly name: string;
  /** Names its NodePool and its namespace, so that several can run beside each other. */
  readonly id: string;
  /** It takes the stack apart: what failed in it cannot be tried again. */
  readonly isOnce?: boolean;
  /** Its nodes stay, for the next one. */
  readonly keepsPool?: boolean;
  run(lab: Lab, world: World): Promise<Measures>;
}

/** What every scenario needs to do and see; all of it within its own pool and namespace. */
export interface World {
  readonly id: string;
  /** Applies the pool, with more of its spec. */
  pool(more?: PoolOptions): Promise<void>;
  /** Applies a Deployment whose pods run on the pool's nodes alone. */
  deployment(name: string, replicas: number, options?: PodOptions): Promise<void>;
  scale(name: string, replicas: number): Promise<void>;
  /** Until so many pods run. @returns the pods */
  running(pods: number, timeoutMs?: number): Promise<readonly PodView[]>;
  pods(): Promise<readonly PodView[]>;
  claims(): Promise<readonly ClaimView[]>;
  nodes(): Promise<readonly string[]>;
  /** Running instances of the pool, by id. */
  instances(): Promise<readonly string[]>;
  /** Until claims, nodes and instances of the pool are as many. */
  hasNodes(count: number, timeoutMs?: number): Promise<void>;
}

export interface PoolOptions {
  readonly capacityTypes?: readonly string[];
  readonly consolidateAfter?: string;
  readonly consolidationPolicy?: string;
  readonly instanceTypes?: readonly string[];
}

export interface PodOptions {
  readonly cpu?: string;
  readonly memory?: string;
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

/** @throws Error - it is not so */
export function expect(isSo: boolean, what: string): asserts isSo {
  if (!isSo) throw new Error(what);
}

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
};
