import * as z from 'zod';
import { ec2NodeClassSchema } from '../../api/stored-objects/ec2-node-class.ts';
import type {
  ClusterFacts,
  DryRunRecord,
  NodeClassCondition,
  NodeClassConditionType,
  NodeClassResolution,
} from '../../model/nodes/resolved-node-class.ts';
import { type FieldsOf, oneOf } from '../../model-schema/exact-schema.ts';
import {
  imageSchema,
  placementGroupSchema,
  reservationSchema,
  securityGroupSchema,
  subnetSchema,
} from '../../model-schema/node-class-schema.ts';
import type { NodeClasses, ResolvedNodeClass } from '../../ports/node-classes.ts';
import { gzipJson, gzippedJson } from '../gzip-json.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

const dryRunSchema = z.object({
  of: z.string(),
  at: z.number(),
  refusal: z.object({ reason: z.string(), message: z.string() }).exactOptional(),
} satisfies FieldsOf<DryRunRecord>);

const factsSchema = z.object({
  name: z.string(),
  endpoint: z.string(),
  certificateAuthority: z.string(),
  version: z.string(),
  serviceCidr: z.string().exactOptional(),
  dnsIp: z.string().exactOptional(),
} satisfies FieldsOf<ClusterFacts>);

const conditionSchema = z.object({
  type: oneOf<NodeClassConditionType>({
    AMIsReady: 'AMIsReady',
    SubnetsReady: 'SubnetsReady',
    SecurityGroupsReady: 'SecurityGroupsReady',
    InstanceProfileReady: 'InstanceProfileReady',
    CapacityReservationsReady: 'CapacityReservationsReady',
    PlacementGroupReady: 'PlacementGroupReady',
    ValidationSucceeded: 'ValidationSucceeded',
    RolloutHealthy: 'RolloutHealthy',
    NodeAccessReady: 'NodeAccessReady',
    Ready: 'Ready',
  }),
  status: oneOf<NodeClassCondition['status']>({ True: 'True', False: 'False', Unknown: 'Unknown' }),
  reason: z.string(),
  message: z.string(),
} satisfies FieldsOf<NodeClassCondition>);

const resolvedSchema: z.ZodType<ResolvedNodeClass> = z.object({
  name: z.string(),
  uid: z.string(),
  generation: z.number(),
  resolvedAt: z.number(),
  subnets: z.array(subnetSchema),
  securityGroups: z.array(securityGroupSchema),
  images: z.array(imageSchema),
  instanceProfile: z.string().exactOptional(),
  reservations: z.array(reservationSchema).exactOptional(),
  placementGroup: placementGroupSchema.exactOptional(),
  cluster: factsSchema,
  lastDryRun: dryRunSchema.exactOptional(),
  profileUnknownSince: z.number().exactOptional(),
  conditions: z.array(conditionSchema),
  written: ec2NodeClassSchema,
} satisfies FieldsOf<NodeClassResolution & ResolvedNodeClass>);

const rowSchema = z.object({ resolved: gzippedJson(resolvedSchema) });

/** Rows are compressed, because they contain user data and a certificate. */
export function dynamoNodeClasses(table: DynamoTable): NodeClasses {
  return {
    async find(name) {
      return (await table.get('NodeClass', name, rowSchema))?.resolved;
    },
    async list() {
      const rows = await table.list('NodeClass', rowSchema);
      return rows.map(({ resolved }) => resolved);
    },
    async save(resolved) {
      const { name, resolvedAt } = resolved;
      const row = { resolvedAt, resolved: gzipJson(resolved) };
      await table.put('NodeClass', name, row, unlessResolvedAfter(resolvedAt));
    },
    remove: (name) => table.remove('NodeClass', name),
  };
}

const unlessResolvedAfter = (at: number) => ({
  ConditionExpression: 'attribute_not_exists(sk) OR resolvedAt <= :at',
  ExpressionAttributeValues: { ':at': at },
});
