/** The operating system that an access entry is for. */
export type NodeOs = 'linux' | 'windows';

/** How nodes of a role get access to the cluster. */
export type NodeAccess =
  | { readonly outcome: 'ready'; readonly role: string }
  | { readonly outcome: 'other-type'; readonly role: string; readonly type: string }
  /** There is no access entry, and none could be created. */
  | { readonly outcome: 'missing'; readonly role: string; readonly why: string }
  /** The cluster knows only the ConfigMap aws-auth. */
  | { readonly outcome: 'config-map'; readonly role: string }
  | { readonly outcome: 'unknown'; readonly why: string };
