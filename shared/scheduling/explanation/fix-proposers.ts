import type { ReasonCode } from '../../model/explanations/reasons.ts';
import { formatInstant } from '../../model/time.ts';
import { withoutOffHours } from '../input/off-hours.ts';
import { proposeClassCorrection, proposeLargerDisk, proposeMorePods, proposeSubnet } from './fix-node-class.ts';
import {
  proposeCheapestValues,
  proposeCorrectRequirement,
  proposeDroppedRequirement,
  proposeHigherLimit,
  proposeLowerMinValues,
  proposeNodeLabel,
  proposeRequestedTypes,
  proposeTypes,
} from './fix-node-pools.ts';
import {
  proposeCorrectValue,
  proposeDroppedSelector,
  proposeLabelRename,
  proposeToleration,
  proposeUntaintedPool,
} from './fix-pods.ts';
import type { FixProposer } from './fix-proposal.ts';
import { proposeCorrectResource, proposeSmallerRequest } from './fix-requests.ts';
import { proposeCorrectAffinity, proposeFewerDomains, proposePreferredRule } from './fix-rules.ts';
import { proposeStorageClass, proposeVolumeClaim } from './fix-volumes.ts';

/** Proposes to wait until the unavailable offerings are tried again. */
const proposeWaiting: FixProposer = (pool, { fields: { until = '' } }, pods, { snapshot }) => {
  const unavailable = snapshot.unavailable.filter((offering) => formatInstant(offering.until) > until);
  return [
    {
      kind: 'wait',
      object: `NodePool/${pool.name}`,
      path: 'offerings',
      to: until,
      snapshot: { ...snapshot, unavailable },
      pods,
    },
  ];
};

/** Proposes to wait until the hours of the NodePool begin. */
const proposeHours: FixProposer = (pool, { fields: { until = '' } }, pods, { snapshot }) => [
  {
    kind: 'wait',
    object: `NodePool/${pool.name}`,
    path: 'hours',
    to: until,
    snapshot: {
      ...snapshot,
      pools: snapshot.pools.map((one) => (one.name === pool.name ? withoutOffHours(one) : one)),
    },
    pods,
  },
];

/** Proposes what any of the proposers proposes. */
const all =
  (...proposers: readonly FixProposer[]): FixProposer =>
  (...refused) =>
    proposers.flatMap((propose) => propose(...refused));

/** A larger type or more of each node for the pod, or a smaller pod for the types. */
const proposeRoom = all(
  proposeCorrectResource,
  proposeTypes,
  proposeSmallerRequest,
  proposeLargerDisk,
  proposeMorePods,
);

export type ProposersByReason = Partial<Record<ReasonCode, FixProposer>>;

/** Reasons that a change may resolve. */
const CHANGE_PROPOSERS: ProposersByReason = {
  'limit-reached': proposeHigherLimit,
  'pool-not-ready': proposeClassCorrection,
  'taint-not-tolerated': all(proposeToleration, proposeUntaintedPool),
  'requirement-conflict': all(proposeCorrectValue, proposeRequestedTypes),
  'unknown-label': all(proposeLabelRename, proposeNodeLabel),
  'zone-without-subnet': proposeSubnet,
  'subnets-full': proposeSubnet,
  'pool-has-no-types': all(proposeCorrectRequirement, proposeDroppedRequirement),
  'too-large': proposeRoom,
  'no-type-matches': proposeRoom,
  'no-offering-in-zone': proposeTypes,
  ice: proposeTypes,
  'min-values-unmet': all(proposeLowerMinValues, proposeCheapestValues),
  'topology-spread': all(proposeCheapestValues, proposeFewerDomains),
  'pod-affinity': proposeCorrectAffinity,
  'pod-anti-affinity': proposeCheapestValues,
  'volume-not-ready': all(proposeVolumeClaim, proposeStorageClass),
};

/** Reasons that time resolves. */
const WAIT_PROPOSERS: ProposersByReason = { ice: proposeWaiting, 'off-hours': proposeHours };

/** Rules of the pods that may be weaker. Their author wanted them, so that waiting is better. */
const WEAKER_RULES: ProposersByReason = {
  'requirement-conflict': proposeDroppedSelector,
  'unknown-label': proposePreferredRule,
  'topology-spread': proposePreferredRule,
  'pod-affinity': proposePreferredRule,
  'pod-anti-affinity': proposePreferredRule,
};

/** Each list is tried if none of the lists before it helps. */
export const PROPOSERS: readonly ProposersByReason[] = [CHANGE_PROPOSERS, WAIT_PROPOSERS, WEAKER_RULES];
