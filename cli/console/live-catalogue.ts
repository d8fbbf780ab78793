import * as z from 'zod';
import type { PriceOf } from '../../console/views/facts.ts';
import { readWithSchema } from '../../shared/api/builtin-resources/read-with-schema.ts';
import { ec2NodeClassSchema, readEC2NodeClass } from '../../shared/api/stored-objects/ec2-node-class.ts';
import { createPriceList, findBundledPrices, type PriceList } from '../../shared/aws/ec2/prices/price-list.ts';
import { BUNDLED_REGION, findEc2Type } from '../../shared/ec2/catalogue/ec2-types.ts';
import { listInstanceTypes } from '../../shared/ec2/catalogue/instance-types.ts';
import { PRICES_AS_OF } from '../../shared/ec2/catalogue/on-demand-prices.ts';
import { withRegionLabel } from '../../shared/ec2/catalogue/region-label.ts';
import { modelSpotUsd } from '../../shared/ec2/catalogue/spot-price-model.ts';
import { EC2_NODE_CLASSES } from '../../shared/kubernetes/client/api-resources.ts';
import type { KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import type { LiveReading } from '../../shared/kubernetes/readers/live-object.ts';
import { ZONE_LABEL } from '../../shared/model/labels.ts';
import type { Node } from '../../shared/model/nodes/node.ts';
import type { EC2NodeClass } from '../../shared/model/nodes/node-class.ts';
import type { NodePool } from '../../shared/model/nodes/node-pool.ts';
import type { InstanceType } from '../../shared/model/offerings/instance-type.ts';
import type { Catalogue } from '../../shared/ports/cloud.ts';
import { listReadable } from '../cluster/live-objects.ts';
import { createPriceFinder } from '../live/live-claims.ts';

/** The instance types and prices that plans for a live cluster use. */
export interface LiveCatalogue {
  readonly catalogue: Catalogue;
  readonly priceOf: PriceOf;
}

/** An EC2NodeClass with the AMIs and subnets that its controller found. */
export interface LiveNodeClass {
  readonly nodeClass: EC2NodeClass;
  readonly zones: readonly string[];
  readonly images: readonly { readonly id: string; readonly name: string }[];
  readonly subnets: readonly { readonly id: string; readonly zone: string }[];
}

export interface CatalogueInput {
  readonly region: string;
  readonly pools: readonly NodePool[];
  readonly nodes: readonly Node[];
  readonly classes: ReadonlyMap<string, LiveNodeClass>;
  /** `undefined` until EC2 has answered. */
  readonly prices?: PriceList;
}

/** Returns the same catalogue until something in it changes, because plans cache by identity. */
export function createCatalogueReader(): (input: CatalogueInput) => LiveCatalogue {
  let last: { readonly key: readonly unknown[]; readonly result: LiveCatalogue } | undefined;
  return (input) => {
    const zones = listZones(input);
    const key = [input.region, input.pools, input.classes, input.prices, zones.join()];
    if (!last?.key.every((part, index) => part === key[index])) {
      last = { key, result: buildCatalogue(input, zones) };
    }
    return last.result;
  };
}

function buildCatalogue({ region, pools, classes, prices }: CatalogueInput, zones: readonly string[]): LiveCatalogue {
  const list = prices ?? typicalPrices(region, zones);
  const typesOf = ({ nodeClass }: NodePool): readonly InstanceType[] => {
    const existing = classes.get(nodeClass.name);
    return existing ? withRegionLabel(listInstanceTypes(existing.nodeClass), region) : [];
  };
  const instanceTypes = Object.fromEntries(pools.map((pool) => [pool.name, typesOf(pool)]));
  const names = new Set(Object.values(instanceTypes).flatMap((all) => all.map(({ name }) => name)));
  const inZones = new Set(zones);
  const offerings = [...names].flatMap((name) => list.offeringsOf(name).filter(({ zone }) => inZones.has(zone)));
  const poolZones = pools.flatMap(({ name, nodeClass }) => {
    const ofClass = classes.get(nodeClass.name)?.zones ?? [];
    return ofClass.length > 0 ? [[name, ofClass] as const] : [];
  });
  return {
    catalogue: {
      instanceTypes,
      offerings,
      zones: Object.fromEntries(poolZones),
      ...(list.unpriced && { unpriced: list.unpriced }),
    },
    priceOf: (offering) =>
      list.unpriced ? undefined : createPriceFinder(list.offeringsOf(offering.instanceType))(offering),
  };
}

/** The bundled on-demand prices of the region if there are any, and spot prices as they typically are. */
const typicalPrices = (region: string, zones: readonly string[]): PriceList =>
  createPriceList({
    zonesOf: (type) => (findEc2Type(type) ? zones : []),
    spotUsd: modelSpotUsd,
    onDemandUsd: findBundledPrices(region),
  });

export const describeTypicalPrices = (region: string, why: string): string =>
  region === BUNDLED_REGION
    ? `Prices are the list prices of ${BUNDLED_REGION} of ${PRICES_AS_OF}, spot prices are typical ones: ${why}.`
    : `Not priced: no prices of ${region} are bundled, and ${why}. Plans compare types by vCPU and memory.`;

function listZones({ region, nodes, classes }: CatalogueInput): readonly string[] {
  const ofNodes = nodes.flatMap(({ labels }) => labels[ZONE_LABEL] ?? []);
  const ofClasses = [...classes.values()].flatMap(({ zones }) => zones);
  const zones = [...new Set([...ofNodes, ...ofClasses])];
  return (zones.length > 0 ? zones : ['a', 'b', 'c'].map((letter) => `${region}${letter}`)).toSorted();
}

const classSchema = z.object({
  metadata: z.object({ name: z.string() }),
  status: z
    .object({
      subnets: z.array(z.object({ id: z.string(), zone: z.string() })).default([]),
      amis: z.array(z.object({ id: z.string(), name: z.string().default('') })).default([]),
    })
    .prefault({}),
});

/** Lists the readable EC2NodeClasses by name. */
export async function listNodeClasses(api: KubernetesApi): Promise<ReadonlyMap<string, LiveNodeClass>> {
  const classes = await listReadable(api, { resource: EC2_NODE_CLASSES, read: readClass });
  return new Map(classes.map((one) => [one.nodeClass.name, one]));
}

function readClass(raw: unknown): LiveReading<LiveNodeClass | undefined> {
  const written = readWithSchema(ec2NodeClassSchema, raw);
  const identity = classSchema.safeParse(raw);
  if (written.outcome === 'refused' || !identity.success) {
    return { outcome: 'read', value: undefined };
  }
  const { metadata, status } = identity.data;
  const read = readEC2NodeClass(metadata.name, written.value);
  if (read.outcome === 'refused') return { outcome: 'read', value: undefined };
  const zones = [...new Set(status.subnets.map(({ zone }) => zone))];
  const { subnets, amis: images } = status;
  return { outcome: 'read', value: { nodeClass: read.value, zones, images, subnets } };
}
