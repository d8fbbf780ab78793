import type * as z from 'zod';
import { durationMs } from '../../model/duration.ts';
import {
  type Labels,
  MIN_DRAIN_ANNOTATION,
  PER_NODE_COST_ANNOTATION,
  VOLUNTARY_EXPIRATION_ANNOTATION,
} from '../../model/labels.ts';
import type { Budget, NodePool } from '../../model/nodes/node-pool.ts';
import { readOnDemandShare } from '../../model/offerings/on-demand-share.ts';
import { ownValue } from '../../model/own-value.ts';
import { toResources } from '../../model/quantity.ts';
import { readTaint } from '../builtin-resources/taints.ts';
import { NODE_CLAIM } from '../custom-resources/node-claim.ts';
import { NODE_POOL, type NodePoolSpec } from '../custom-resources/node-pool.ts';
import { listPoolFaults, readMinDrain, readNodeCost } from '../runtime-validation/node-pool-faults.ts';
import { staticHash } from '../static-hash.ts';
import { readHours } from './pool-hours.ts';
import { readRequirement } from './requirement.ts';
import { storedSchema, storedSpecSchema } from './stored-schema.ts';

/** A NodePool as the API server stores it. */
export const nodePoolSchema = storedSchema(NODE_POOL);
type WrittenNodePool = z.output<typeof nodePoolSchema>;

/** Reads the pool for decisions. It is ready if its own text has no faults. */
export function readNodePool(name: string, written: WrittenNodePool): NodePool {
  const { metadata, spec } = written;
  const { weight = 0, replicas, limits = {}, template } = spec;
  const { expireAfter, terminationGracePeriod } = template.spec;
  const perNodeHourlyUsd = readNodeCost(ownValue(metadata.annotations, PER_NODE_COST_ANNOTATION));
  const minDrainMs = readMinDrain(ownValue(metadata.annotations, MIN_DRAIN_ANNOTATION));
  const onDemandShare = readOnDemandShare(metadata.annotations ?? {}, 'vCPUs');
  return {
    name,
    uid: metadata.uid ?? `nodepool-${name}`,
    ...(metadata.generation !== undefined && { generation: metadata.generation }),
    weight,
    nodeClass: template.spec.nodeClassRef,
    requirements: template.spec.requirements.map(readRequirement),
    labels: template.metadata?.labels ?? {},
    annotations: template.metadata?.annotations ?? {},
    taints: (template.spec.taints ?? []).map(readTaint),
    startupTaints: (template.spec.startupTaints ?? []).map(readTaint),
    limits: toResources(limits),
    ...readHoursOf(metadata.annotations),
    disruption: readDisruption(spec.disruption),
    ...(perNodeHourlyUsd !== undefined && { perNodeHourlyUsd }),
    ...(onDemandShare && { onDemandShare }),
    ...(expireAfter !== 'Never' && { expireAfterMs: durationMs(expireAfter) }),
    ...(ownValue(metadata.annotations, VOLUNTARY_EXPIRATION_ANNOTATION) === 'true' && { expiresVoluntarily: true }),
    ...(terminationGracePeriod !== undefined && { terminationGracePeriodMs: durationMs(terminationGracePeriod) }),
    ...(minDrainMs !== undefined && { minDrainMs }),
    ...(replicas !== undefined && { replicas }),
    hash: computeNodePoolHash(template),
    ...readReadiness(written),
    deleting: metadata.deletionTimestamp !== undefined,
  };
}

function readHoursOf(annotations: Labels | undefined): Pick<NodePool, 'hours'> {
  const { hours } = readHours(annotations);
  return hours ? { hours } : {};
}

function readReadiness({ metadata, spec, unknownFields = [] }: WrittenNodePool): Pick<NodePool, 'ready' | 'notReady'> {
  const faults = [
    ...listPoolFaults(metadata, spec),
    // Nodes without the effect of the field would be wrong, so none is launched.
    ...unknownFields
      .filter((path) => path.startsWith('spec.template.'))
      .map((path) => ({
        rule: 'UnknownField',
        why: `this release of Mortise does not know ${path}: update it, or take the field out`,
      })),
  ];
  if (faults.length === 0) return { ready: true };
  return {
    ready: false,
    notReady: {
      condition: 'ValidationSucceeded',
      message: faults.map(({ rule, why }) => `${rule}: ${why}`).join('; '),
    },
  };
}

const readDisruption = ({
  consolidateAfter,
  consolidationPolicy,
  budgets,
}: WrittenNodePool['spec']['disruption']): NodePool['disruption'] => ({
  consolidateAfterMs: consolidateAfter === 'Never' ? 'Never' : durationMs(consolidateAfter),
  policy: consolidationPolicy,
  budgets: budgets.map(readBudget),
});

/**
 * Hashes the fields that all nodes of a template share. Requirements are compared separately, value
 * by value.
 */
function computeNodePoolHash({ metadata, spec }: WrittenNodePool['spec']['template']): string {
  const { nodeClassRef, taints, startupTaints, expireAfter, terminationGracePeriod } = spec;
  return staticHash({
    labels: metadata?.labels,
    annotations: metadata?.annotations,
    nodeClassRef,
    taints: taints?.map(readTaint),
    startupTaints: startupTaints?.map(readTaint),
    expireAfterMs: expireAfter === 'Never' ? undefined : durationMs(expireAfter),
    terminationGracePeriodMs: terminationGracePeriod === undefined ? undefined : durationMs(terminationGracePeriod),
  });
}

type Written = NodePoolSpec['disruption']['budgets'][number];

const readBudget = ({ nodes, reasons, schedule, duration }: Written): Budget => ({
  nodes,
  ...(reasons && { reasons }),
  ...(schedule !== undefined && { schedule }),
  ...(duration !== undefined && { durationMs: durationMs(duration) }),
});

/** The spec of a NodeClaim as the API server stores it. */
export const nodeClaimSpecSchema = storedSpecSchema(NODE_CLAIM);
