import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { CAPACITY_TYPE_LABEL, type Labels, NODEPOOL_LABEL, ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { InstanceType, Offering } from '../../../shared/model/offerings/instance-type.ts';
import type { NodeOverlay } from '../../../shared/model/offerings/node-overlay.ts';
import { ownValue } from '../../../shared/model/own-value.ts';
import { matchesLabels, toRequirements } from '../../../shared/model/requirements/requirements.ts';

/** Applies the NodeOverlays to each offering separately, literally as specified. */
export function applyNodeOverlays(snapshot: ClusterSnapshot): ClusterSnapshot {
  const { settings, pools, offerings, instanceTypes } = snapshot;
  const overlays = (snapshot.overlays ?? []).filter(({ fault }) => fault === undefined);
  if (overlays.length === 0 || !settings?.gates.NodeOverlay) return snapshot;
  const [pool] = pools;
  const types = new Map(
    Object.values(instanceTypes)
      .flat()
      .map((type) => [type.name, type]),
  );
  return {
    ...snapshot,
    // Prices are not kept per NodePool, so cases whose NodePools differ in prices cannot be checked
    // here.
    offerings: offerings.map((offering) => {
      const type = types.get(offering.instanceType);
      return pool && type ? { ...offering, hourlyUsd: computePrice(offering, type, pool, overlays) } : offering;
    }),
    instanceTypes: Object.fromEntries(
      pools.map((one) => [
        one.name,
        (ownValue(instanceTypes, one.name) ?? []).map((type) => withOverlayCapacity(type, one, offerings, overlays)),
      ]),
    ),
  };
}

function computePrice(
  offering: Offering,
  type: InstanceType,
  pool: NodePool,
  overlays: readonly NodeOverlay[],
): number {
  const { hourlyUsd } = offering;
  const touching = overlays.filter((overlay) => overlay.price && touches(overlay, offering, type, pool));
  const price = findHeaviest(touching)?.price;
  if (!price) return hourlyUsd;
  if (price.kind === 'set') return price.usd;
  const changed = price.kind === 'add' ? hourlyUsd + price.usd : hourlyUsd * (1 + price.share);
  return Math.max(0, changed);
}

function withOverlayCapacity(
  type: InstanceType,
  pool: NodePool,
  offerings: readonly Offering[],
  overlays: readonly NodeOverlay[],
): InstanceType {
  const own = offerings.filter(({ instanceType }) => instanceType === type.name);
  const touching = overlays.filter((overlay) => own.some((offering) => touches(overlay, offering, type, pool)));
  const resources = new Set(touching.flatMap(({ capacity }) => Object.keys(capacity)));
  const more = Object.fromEntries(
    [...resources].map((resource) => {
      const saying = touching.filter(({ capacity }) => ownValue(capacity, resource) !== undefined);
      return [resource, ownValue(findHeaviest(saying)?.capacity, resource) ?? 0];
    }),
  );
  return {
    ...type,
    capacity: { ...type.capacity, ...more },
    allocatable: { ...type.allocatable, ...more },
  };
}

/** Among equal weights, the later name. */
const findHeaviest = (overlays: readonly NodeOverlay[]): NodeOverlay | undefined =>
  overlays.reduce<NodeOverlay | undefined>(
    (best, next) =>
      !best || next.weight > best.weight || (next.weight === best.weight && next.name > best.name) ? next : best,
    undefined,
  );

function touches(
  { requirements }: NodeOverlay,
  { zone, capacityType }: Offering,
  { labels, choices = {} }: InstanceType,
  pool: NodePool,
): boolean {
  let forms: Labels[] = [
    {
      ...labels,
      ...pool.labels,
      [NODEPOOL_LABEL]: pool.name,
      [ZONE_LABEL]: zone,
      [CAPACITY_TYPE_LABEL]: capacityType,
    },
  ];
  for (const [key, values] of Object.entries(choices)) {
    forms = forms.flatMap((form) => values.map((value) => ({ ...form, [key]: value })));
  }
  return forms.some((form) => matchesLabels(toRequirements(requirements), form));
}
