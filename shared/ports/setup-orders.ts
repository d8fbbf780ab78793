/** What may be asked of who sets up the cluster: it alone may write hooks. */
export type SetupOrder =
  | { readonly action: 'keep' }
  | { readonly action: 'withdraw-hooks'; readonly by: 'breaker'; readonly why: string }
  | { readonly action: 'restore-hooks' };

/** Asks and does not wait. An order that is lost is given again a minute later. */
export interface SetupOrders {
  give(order: SetupOrder): Promise<void>;
}
