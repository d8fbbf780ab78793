import { CUSTOM_KINDS } from './objects/kinds.ts';
import { type Column, type CustomKind, objectSchemaOf } from './schema/custom-kind.ts';
import { openApiOf } from './schema/open-api.ts';
import type { Json } from './schema/schema.ts';

/** A CustomResourceDefinition, ready for server-side apply. */
export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string };
  readonly spec: { readonly group: string; readonly [field: string]: Json };
}

const definitionOf = (kind: CustomKind): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${kind.plural}.${kind.group}` },
  spec: {
    group: kind.group,
    names: {
      kind: kind.kind,
      listKind: `${kind.kind}List`,
      plural: kind.plural,
      singular: kind.singular,
      ...(kind.shortNames.length > 0 ? { shortNames: kind.shortNames } : {}),
      categories: kind.categories,
    },
    scope: kind.scope,
    versions: [
      {
        name: kind.version,
        served: true,
        storage: true,
        additionalPrinterColumns: kind.columns.map(printerColumnOf),
        schema: { openAPIV3Schema: openApiOf(objectSchemaOf(kind)) },
        subresources: {
          status: {},
          ...(kind.scale
            ? {
                scale: {
                  specReplicasPath: kind.scale.specPath,
                  statusReplicasPath: kind.scale.statusPath,
                },
              }
            : {}),
        },
      },
    ],
  },
});

const printerColumnOf = ({ name, type, path, isWide }: Column): Json => ({
  name,
  type,
  jsonPath: path,
  ...(isWide ? { priority: 1 } : {}),
});

/** The definitions of every kind that we serve. */
export const CRDS: readonly CustomResourceDefinition[] = CUSTOM_KINDS.map(definitionOf);
