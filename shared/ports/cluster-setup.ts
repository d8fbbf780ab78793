import type { EpochMs } from '../model/time.ts';

/** A CustomResourceDefinition that another tool manages and that we therefore do not write. */
export interface UnmanagedDefinition {
  readonly name: string;
  /** The manager: `Helm`, `Argo CD`, `EKS`, `Mortise 0.3.0`. */
  readonly keeper: string;
  /** The version that we use: `v1`. */
  readonly version: string;
  /** True if the API server serves it. */
  readonly isUsable: boolean;
}

export interface RemovalReport {
  /** Objects of ours that may still be in the cluster, as kubectl names them. */
  readonly orphans: readonly string[];
  /** Why objects remain; `undefined` if none do. */
  readonly why?: string;
  /**
   * True if Karpenter owns the cluster: nodes, NodeClaims and NodeClasses were left to it
   * unchanged.
   */
  readonly isHandedOver: boolean;
  /**
   * Nodes that keep running without an autoscaler; `undefined` if they could not be listed or do
   * not matter.
   */
  readonly runningNodes?: readonly { readonly name: string; readonly providerId: string }[];
}

/** The result for the identities of nodes when the stack is removed. */
export type IdentityRemoval =
  | { readonly outcome: 'removed' }
  /** Nodes use them. */
  | { readonly outcome: 'needed' }
  | ({ readonly outcome: 'kept' } & KeptNodeRole)
  | { readonly outcome: 'failed'; readonly why: string };

/** The stack's node role that stays, because instance profiles still contain it. */
export interface KeptNodeRole {
  readonly role: string;
  readonly profiles: readonly string[];
}

/** Instance profiles, roles and access entries: nodes authenticate with them in AWS and the cluster. */
export interface NodeIdentities {
  /**
   * Deletes the cluster's instance profiles that no instance uses; then the stack's own node role
   * with its access entry, unless a profile still contains the role. Idempotent.
   */
  removeUnused(): Promise<KeptNodeRole | undefined>;
}

export interface ApplyOptions {
  /** True if we hold the rights of an administrator: then bindings and our own rights are written. */
  readonly isAdministrator: boolean;
  /** True while functions of the previous release run: roles keep rules that we do not know. */
  readonly keepsOldRules: boolean;
}

/**
 * The EKS access policy that makes the set-up an administrator. A deployment associates it; the
 * set-up cannot do that itself.
 */
export interface AdministratorAccess {
  /** Returns when the policy was associated; `undefined` if it is not. */
  heldSince(): Promise<EpochMs | undefined>;
  /** Removes the policy. It loses its effect some seconds later. */
  end(): Promise<void>;
}

/** Installs our part of the cluster: definitions, RBAC, FlowSchemas and webhooks. */
export interface ClusterSetup {
  /**
   * Applies everything except the webhooks.
   *
   * @returns definitions that another tool manages
   */
  apply(options: ApplyOptions): Promise<readonly UnmanagedDefinition[]>;
  /** Binds the roles of the functions to their groups. */
  applyBindings(): Promise<void>;
  /**
   * Ends the stand-by that `mortise uninstall` left, so that a new stack works at once. It needs the
   * rights of an administrator.
   */
  endUninstall(): Promise<void>;
  /** Creates or corrects the webhooks. The API server starts to call them some seconds later. */
  placeHooks(token: HookToken): Promise<void>;
  /**
   * Removes the webhooks. The API server stops calling them some seconds later. Does nothing
   * without webhooks.
   */
  withdrawHooks(): Promise<void>;
  /**
   * True if the cluster has other validating webhooks. The metrics of EKS count all calls together.
   */
  hasOtherHooks(): Promise<boolean>;
  /**
   * Measures in milliseconds how long the API server takes to write an object for which it calls
   * our webhook.
   */
  probe(): Promise<number>;
  /** Removes everything except the definitions. It never throws; the report lists what remains. */
  remove(): Promise<RemovalReport>;
}

/**
 * The last segment of the webhook URL. It is a secret: never log it, never store it in the table.
 */
export interface HookToken {
  readonly text: string;
  readonly createdAt: EpochMs;
}

/** While a token is rotated, two tokens are valid. */
interface TokenPair {
  readonly current: HookToken;
  readonly next?: HookToken;
}

/** The secret store of the token. Only the functions that place webhooks may read it. */
export interface HookTokens {
  read(): Promise<TokenPair>;
  /** Creates the next token; the current token stays valid. */
  propose(): Promise<HookToken>;
  /**
   * Makes the next token the current one and deletes the old one. Does nothing without a next
   * token.
   */
  promote(): Promise<void>;
}

/** The endpoint that receives webhook calls. */
export interface HookIntake {
  /** Accepts exactly these tokens from the moment at which the promise resolves. */
  admit(tokens: readonly HookToken[]): Promise<void>;
}

/** A request to the function that places and withdraws webhooks. */
export type HooksRequest =
  | { readonly action: 'keep' }
  | { readonly action: 'withdraw-hooks'; readonly by: 'breaker'; readonly why: string }
  /** Withdraws the webhooks if a write that calls them is slow. */
  | { readonly action: 'probe-hooks' }
  | { readonly action: 'restore-hooks' };

/** Sends a request without waiting for its result. The next sweep repeats a lost request. */
export interface HooksRequests {
  send(request: HooksRequest): Promise<void>;
}

/** Webhook calls within one minute. A field is `undefined` if it was not measured. */
export interface CallMinute {
  /** The start of the minute. */
  readonly at: EpochMs;
  /** The 99th percentile of call durations, measured by the API server. */
  readonly p99Ms?: number;
  /** Calls that the API server counted, of all validating webhooks. */
  readonly counted?: number;
  /** Calls that reached our endpoint. */
  readonly received?: number;
  /** Calls that our endpoint failed to answer, or refused for want of concurrency. */
  readonly failed?: number;
}

export interface HookCalls {
  /** Returns the minutes in order of time, without those that have no data. */
  since(from: EpochMs, until: EpochMs): Promise<readonly CallMinute[]>;
}

/** The source of events about pending pods. */
export type EventSource = 'hook' | 'poll' | 'controller';

export type HooksState =
  | { readonly state: 'placed'; readonly since: EpochMs }
  /** Webhooks return by themselves only if the circuit breaker removed them. */
  | {
      readonly state: 'withdrawn';
      readonly since: EpochMs;
      readonly by: 'breaker' | 'operator';
      readonly why: string;
    }
  | { readonly state: 'none' };

/** How the cluster was set up, and the state of its webhooks. */
export interface Installation {
  readonly release: string;
  readonly eventSource: EventSource;
  /** One sentence that says why this source was chosen. */
  readonly why: string;
  /** True if webhook calls leave the cluster through the customer's own network. */
  readonly isEgressRouted: boolean;
  readonly hasOtherHooks: boolean;
  readonly hooks: HooksState;
}

/** The stored installation. The cluster setup writes it; all functions read it. */
export interface Installations {
  find(): Promise<Installation | undefined>;
  save(installation: Installation): Promise<void>;
}

/** How the API server can be reached, and what it can reach. */
export interface ClusterNetwork {
  readonly isPublic: boolean;
  /** CIDRs that may call the public endpoint. */
  readonly publicCidrs: readonly string[];
  /** The route of calls from the control plane: the EKS network, the cluster's VPC, or none. */
  readonly egress: 'aws-managed' | 'customer-routed' | 'customer-isolated';
}
