import { type CustomKind, objectSchemaOf, type PrinterColumn } from '../schema/custom-kind.ts';
import { toOpenApi } from '../schema/open-api.ts';
import type { Json } from '../schema/schema.ts';
import { CAPACITY_BUFFER } from './capacity-buffer.ts';
import { EC2_NODE_CLASS } from './ec2-node-class.ts';
import { NODE_CLAIM } from './node-claim.ts';
import { NODE_OVERLAY } from './node-overlay.ts';
import { NODE_POOL } from './node-pool.ts';

/** All custom resources that we serve. */
export const CUSTOM_KINDS: readonly CustomKind[] = [
  NODE_POOL,
  NODE_CLAIM,
  EC2_NODE_CLASS,
  NODE_OVERLAY,
  CAPACITY_BUFFER,
];

/** A CustomResourceDefinition, ready for server-side apply. */
interface CustomResourceDefinition {
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
      ...(kind.shortNames.length > 0 && { shortNames: kind.shortNames }),
      categories: kind.categories,
    },
    scope: kind.scope,
    versions: [
      {
        name: kind.version,
        served: true,
        storage: true,
        additionalPrinterColumns: kind.columns.map(printerColumnOf),
        schema: { openAPIV3Schema: toOpenApi(objectSchemaOf(kind)) },
        subresources: {
          status: {},
          ...(kind.scale && {
            scale: {
              specReplicasPath: kind.scale.specPath,
              statusReplicasPath: kind.scale.statusPath,
            },
          }),
        },
      },
    ],
  },
});

const printerColumnOf = ({ name, type, path, isWide }: PrinterColumn): Json => ({
  name,
  type,
  jsonPath: path,
  ...(isWide && { priority: 1 }),
});

/** The CustomResourceDefinitions of all kinds that we serve. */
export const CRDS: readonly CustomResourceDefinition[] = CUSTOM_KINDS.map(definitionOf);
