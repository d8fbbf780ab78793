import type { FeatureGateName } from '../../model/settings.ts';
import type { DescribedSchema, Schema, SchemaNode } from './schema.ts';

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly path: string;
  /** Shown with `-o wide` alone. */
  readonly isWide?: true;
}

/** Everything there is to say about one kind of object that we serve: the one source of it. */
export interface CustomKind<Spec = unknown, Status = unknown> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly scope: 'Cluster' | 'Namespaced';
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly columns: readonly PrinterColumn[];
  readonly description: string;
  readonly spec: Schema<Spec>;
  /** `kubectl apply` of an object without a spec is taken all the same. */
  readonly isSpecOptional?: true;
  readonly status: Schema<Status>;
  /** Where `kubectl scale` writes and reads the count. */
  readonly scale?: { readonly specPath: string; readonly statusPath: string };
  /** The feature gate that must be on for anybody to act on such objects. */
  readonly gate?: FeatureGateName;
}

/** What an object of the kind says, its defaults filled in. */
export type SpecOf<K extends CustomKind> = DescribedSchema<K['spec']>;

/** Keeps the types of `spec` and `status`, which an annotation would forget. */
export const customKind = <Spec, Status>(
  kind: CustomKind<Spec, Status>,
): CustomKind<Spec, Status> => kind;

/** `karpenter.sh/v1`. */
export const apiVersionOf = ({ group, version }: Pick<CustomKind, 'group' | 'version'>): string =>
  `${group}/${version}`;

/** The schema of a whole object, less the metadata that Kubernetes itself judges. */
export const objectSchemaOf = ({
  description,
  spec,
  status,
  isSpecOptional,
}: CustomKind): SchemaNode => ({
  description,
  type: 'object',
  properties: {
    apiVersion: {
      description:
        'Group and version of this object. https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources',
      type: 'string',
    },
    kind: {
      description:
        'Kind of this object, in CamelCase. https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds',
      type: 'string',
    },
    metadata: { type: 'object' },
    spec,
    status,
  },
  ...(isSpecOptional ? {} : { required: ['spec'] }),
});
