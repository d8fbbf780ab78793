import type { EpochMs } from '../model/time.ts';

/** A definition of a kind that was left to whoever brought it. */
export interface UnmanagedDefinition {
  readonly name: string;
  /** `Helm`, `Argo CD`, `EKS`, `Mortise 0.3.0`. */
  readonly keeper: string;
  /** Whether the version that we speak is served. */
  readonly isUsable: boolean;
}

export interface RemovalReport {
  /** Objects of ours that may still be in the cluster, as kubectl names them. */
  readonly orphans: readonly string[];
  /** Why there are orphans; absent without any. */
  readonly why?: string;
  /** Karpenter has the cluster: nodes, claims and classes were left to it as they are. */
  readonly isHandedOver: boolean;
  /** Nodes that stay, and that nobody looks after any more. Absent: nobody could ask, or need not. */
  readonly runningNodes?: readonly { readonly name: string; readonly providerId: string }[];
}

/** Our part of the cluster: definitions, rights, priorities, hooks. */
export interface ClusterSetup {
  /**
   * All but the hooks.
   *
   * @returns definitions that are not ours to write
   */
  apply(): Promise<readonly UnmanagedDefinition[]>;
  /** The API server calls, from some seconds later on. Corrects hooks that are there. */
  placeHooks(token: HookToken): Promise<void>;
  /** The API server calls no more, from some seconds later on. No error without hooks. */
  withdrawHooks(): Promise<void>;
  /** Whether others have validating hooks as well: EKS counts all calls together. */
  hasOtherHooks(): Promise<boolean>;
  /** How long the API server takes to write an object that it calls us for, in milliseconds. */
  probe(): Promise<number>;
  /** Takes all of it away but the definitions. Never fails: it tells what it left. */
  remove(): Promise<RemovalReport>;
}

/** The last part of the address that the API server calls. A secret: never logged, never stored. */
export interface HookToken {
  readonly text: string;
  readonly createdAt: EpochMs;
}

/** While one token takes the place of another there are two. */
interface TokenPair {
  readonly current: HookToken;
  readonly next?: HookToken;
}

/** Where the token is kept. Only who sets up the cluster can read it. */
export interface HookTokens {
  read(): Promise<TokenPair>;
  /** Makes the token that will be next; the one that is there stays. */
  propose(): Promise<HookToken>;
  /** The next token becomes the current one, which is forgotten. No error without a next one. */
  promote(): Promise<void>;
}

/** What answers the hooks. */
export interface HookIntake {
  /** From when this resolves on, these tokens open, and no others. */
  admit(tokens: readonly HookToken[]): Promise<void>;
}

/** What may be asked of who sets up the cluster: it alone may write hooks. */
export type SetupOrder =
  | { readonly action: 'keep' }
  | { readonly action: 'withdraw-hooks'; readonly by: 'breaker'; readonly why: string }
  | { readonly action: 'restore-hooks' };

/** Asks and does not wait. An order that is lost is given again a minute later. */
export interface SetupOrders {
  give(order: SetupOrder): Promise<void>;
}

/** What became of hooks' calls within one minute. What nobody measured is absent. */
export interface CallMinute {
  /** When the minute began. */
  readonly at: EpochMs;
  /** How long a call took at most, of 99 in 100, as the API server measured it. */
  readonly p99Ms?: number;
  /** Calls that the API server counted, of all validating hooks. */
  readonly counted?: number;
  /** Calls that reached us. */
  readonly received?: number;
}

export interface HookCalls {
  /** In the order of time; a minute of which nothing is known is left out. */
  since(from: EpochMs, until: EpochMs): Promise<readonly CallMinute[]>;
}

/** What tells that pods wait. */
export type EventSource = 'hook' | 'poll' | 'controller';

export type HooksState =
  | { readonly state: 'placed'; readonly since: EpochMs }
  /** They come back by themselves only if the breaker took them. */
  | {
      readonly state: 'withdrawn';
      readonly since: EpochMs;
      readonly by: 'breaker' | 'operator';
      readonly why: string;
    }
  | { readonly state: 'none' };

/** How the cluster was set up, and how its hooks are. */
export interface Installation {
  readonly release: string;
  readonly eventSource: EventSource;
  /** Why that source, in a sentence. */
  readonly why: string;
  /** Whether the hooks' way out of the cluster is the customer's own network. */
  readonly isEgressRouted: boolean;
  readonly hasOtherHooks: boolean;
  readonly hooks: HooksState;
}

/** Written by who sets up the cluster, read by all. */
export interface Installations {
  find(): Promise<Installation | undefined>;
  save(installation: Installation): Promise<void>;
}

/** How a cluster's API server can be reached, and what it can reach. */
export interface ClusterNetwork {
  readonly isPublic: boolean;
  /** Addresses that the public endpoint answers. */
  readonly publicCidrs: readonly string[];
  /** Which way calls of the control plane take: the network of EKS, the cluster's VPC, or none. */
  readonly egress: 'aws-managed' | 'customer-routed' | 'customer-isolated';
}
