import type { HookToken } from './hook-tokens.ts';

/** A definition of a kind that was left to whoever brought it. */
export interface LeftDefinition {
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
  apply(): Promise<readonly LeftDefinition[]>;
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
