/** Enough of an object to apply it: the rest is the API server's to judge. */
export interface NamedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

export interface Manifest extends NamedObject {
  readonly [field: string]: unknown;
}

export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';
export const MANAGED_BY = 'mortise';

/** How objects in the cluster show that they are ours. */
export const OWNERSHIP_LABELS: Readonly<Record<string, string>> = {
  [MANAGED_BY_LABEL]: MANAGED_BY,
  'app.kubernetes.io/part-of': 'mortise',
};

/** As kubectl names it: `ClusterRole mortise-controller`. */
export const titleOf = ({ kind, metadata }: Pick<NamedObject, 'kind' | 'metadata'>): string =>
  `${kind} ${metadata.name}`;

/** Groups that EKS access entries put our functions in; RBAC says below what they may do. */
export const CONTROLLER_GROUP = 'mortise:controller';
export const READER_GROUP = 'mortise:reader';
