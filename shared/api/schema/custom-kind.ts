import type { FeatureGateName } from '../../model/settings.ts';
import type { DescribedSchema, Schema, SchemaNode } from './schema.ts';

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly path: string;
  /** Shown only with `-o wide`. */
  readonly isWide?: true;
}

/**
 * The definition of a custom resource that we serve. CRD, types, documentation and validation all
 * derive from it.
 */
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
  /** True if `kubectl apply` accepts an object without a spec. */
  readonly isSpecOptional?: true;
  readonly status: Schema<Status>;
  /** The fields that `kubectl scale` writes and reads. */
  readonly scale?: { readonly specPath: string; readonly statusPath: string };
  /** The feature gate that must be on for such objects to have an effect. */
  readonly gate?: FeatureGateName;
}

/** The spec of an object of the kind, with defaults. */
export type SpecOf<K extends CustomKind> = DescribedSchema<K['spec']>;

/** Keeps the inferred types of `spec` and `status`, which a type annotation would lose. */
export const customKind = <Spec, Status>(kind: CustomKind<Spec, Status>): CustomKind<Spec, Status> => kind;

/** `karpenter.sh/v1`. */
export const apiVersionOf = ({ group, version }: Pick<CustomKind, 'group' | 'version'>): string =>
  `${group}/${version}`;

/** Returns the schema of a whole object without the metadata, which Kubernetes validates itself. */
export const objectSchemaOf = ({ description, spec, status, isSpecOptional }: CustomKind): SchemaNode => ({
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
  ...(!isSpecOptional && { required: ['spec'] }),
});
