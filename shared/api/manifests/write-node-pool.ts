import { stringify } from 'yaml';
import { formatShortDuration } from '../../model/duration.ts';
import {
  HOURS_ANNOTATION,
  MIN_DRAIN_ANNOTATION,
  OFF_HOURS_NODES_ANNOTATION,
  ON_DEMAND_BASE_ANNOTATION,
  ON_DEMAND_PERCENT_ANNOTATION,
  PER_NODE_COST_ANNOTATION,
  VOLUNTARY_EXPIRATION_ANNOTATION,
} from '../../model/labels.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { ownValue } from '../../model/own-value.ts';
import { formatAmount, toResources } from '../../model/quantity.ts';
import { CPU, type Resources } from '../../model/resources.ts';
import { writeHours } from '../stored-objects/pool-hours.ts';

/** Writes the pool as a manifest; reading it gives the same pool. */
export function writeNodePool(pool: NodePool): string {
  const { expireAfterMs, terminationGracePeriodMs: grace, disruption } = pool;
  const after = disruption.consolidateAfterMs;
  return stringify({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: pool.name, ...unlessEmpty('annotations', settingsOf(pool)) },
    spec: {
      ...(pool.weight > 0 && { weight: pool.weight }),
      ...(pool.replicas !== undefined && { replicas: pool.replicas }),
      template: {
        ...unlessEmpty('metadata', {
          ...unlessEmpty('labels', pool.labels),
          ...unlessEmpty('annotations', pool.annotations),
        }),
        spec: {
          nodeClassRef: pool.nodeClass,
          requirements: pool.requirements,
          ...(pool.taints.length > 0 && { taints: pool.taints }),
          ...(pool.startupTaints.length > 0 && { startupTaints: pool.startupTaints }),
          expireAfter: expireAfterMs === undefined ? 'Never' : formatShortDuration(expireAfterMs),
          ...(grace !== undefined && { terminationGracePeriod: formatShortDuration(grace) }),
        },
      },
      ...unlessEmpty('limits', writeQuantities(pool.limits)),
      disruption: {
        consolidationPolicy: disruption.policy,
        consolidateAfter: after === 'Never' ? after : formatShortDuration(after),
        budgets: disruption.budgets.map(({ durationMs, ...budget }) => ({
          ...budget,
          ...(durationMs !== undefined && { duration: formatShortDuration(durationMs) }),
        })),
      },
    },
  });
}

const settingsOf = ({ perNodeHourlyUsd, onDemandShare, expiresVoluntarily, hours, minDrainMs }: NodePool) => ({
  ...(hours && {
    [HOURS_ANNOTATION]: writeHours(hours),
    [OFF_HOURS_NODES_ANNOTATION]: `${hours.offHoursNodes}`,
  }),
  ...(perNodeHourlyUsd !== undefined && { [PER_NODE_COST_ANNOTATION]: `${perNodeHourlyUsd}` }),
  ...(onDemandShare && {
    [ON_DEMAND_BASE_ANNOTATION]: `${onDemandShare.base}`,
    [ON_DEMAND_PERCENT_ANNOTATION]: `${onDemandShare.percentAboveBase}`,
  }),
  ...(minDrainMs !== undefined && { [MIN_DRAIN_ANNOTATION]: formatShortDuration(minDrainMs) }),
  ...(expiresVoluntarily && { [VOLUNTARY_EXPIRATION_ANNOTATION]: 'true' }),
});

const unlessEmpty = (field: string, values: Readonly<Record<string, unknown>>) =>
  Object.keys(values).length === 0 ? {} : { [field]: values };

const writeQuantities = (resources: Resources): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(resources).map(([name, amount]) => {
      const rounded = formatAmount(name, amount);
      const isExact = ownValue(toResources({ [name]: rounded }), name) === amount;
      return [name, isExact ? rounded : `${amount}${name === CPU ? 'm' : ''}`];
    }),
  );
