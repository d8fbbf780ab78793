/** The fields of an object that we need to apply it; the API server validates the rest. */
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

/** Labels that mark objects in the cluster as ours. */
export const OWNERSHIP_LABELS: Readonly<Record<string, string>> = {
  [MANAGED_BY_LABEL]: MANAGED_BY,
  'app.kubernetes.io/part-of': 'mortise',
};

/** The title in kubectl's style: `ClusterRole mortise-controller`. */
export const titleOf = ({ kind, metadata }: Pick<NamedObject, 'kind' | 'metadata'>): string =>
  `${kind} ${metadata.name}`;

/** Groups of the EKS access entries of our functions; the RBAC rules refer to them. */
export const CONTROLLER_GROUP = 'mortise:controller';
export const READER_GROUP = 'mortise:reader';
