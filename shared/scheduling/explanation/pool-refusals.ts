import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Reason } from '../../model/explanations/reasons.ts';
import { ownValue } from '../../model/own-value.ts';
import type { Funnel, PoolRefusal } from '../../model/plans.ts';
import { findUntoleratedTaint, formatTaint } from '../../model/requirements/taints.ts';
import { findTypesHolding } from '../assignment/pod-groups.ts';
import { type Bitset, intersection, isEmptyBitset, overlaps } from '../data-structures/bitset.ts';
import { toVector } from '../data-structures/resource-vectors.ts';
import type { Problem } from '../input/problem.ts';
import { findUnmetMinValues, resolveMinValues, type UnmetMinValues } from '../instance-types/min-values.ts';
import { type Narrowed, narrowTemplate, pinDomain } from '../instance-types/narrowing.ts';
import type { NodeClaimTemplate } from '../instance-types/node-claim-templates.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { findExcess } from '../pods/pod-complexity.ts';
import { listFullyRelaxed, type Relaxation } from '../pods/relaxations.ts';
import type { ClassTopology, Topology } from '../topology/topology.ts';
import {
  createNoOfferingReason,
  createTooLargeReason,
  findDaemonPortConflict,
  findShiftReason,
} from './capacity-reasons.ts';
import { createDevicesTakenReason, findDeviceShortage } from './device-reasons.ts';
import { createLimitReason, findTypesWithinLimits } from './limit-reasons.ts';
import { createConflictReason, findRequirementReason, findSubnetReason, hasNoScope } from './requirement-reasons.ts';
import { findAwaitedDomain, findTopologyReason } from './topology-reasons.ts';

/**
 * Explains why each NodePool cannot take the pod, with one entry per NodePool for the first
 * condition that fails.
 */
export function explainPoolRefusals(cls: PodClass, topology: Topology, problem: Problem): PoolRefusal[] {
  const tooComplex = findExcess(cls.spec)?.reason ?? problem.tooComplex.get(cls.spec);
  if (tooComplex) return refuseInAllPools(tooComplex, problem.snapshot);
  // The pod's minimum requirements, without any preference.
  const relaxations = listFullyRelaxed(cls.spec);
  const rules = topology.of(cls, relaxations[0]);
  problem.work.spend(OPERATIONS_PER_POOL * relaxations.length * problem.nodeTemplates.length);
  const refusals = problem.nodeTemplates.map((template): PoolRefusal => {
    const checks = relaxations.map((relaxation) => checkPool({ template, cls, relaxation, rules }, problem));
    // Among several required terms, the one that passed the most conditions is the most
    // informative.
    const best = checks.reduce((a, b) => (b.depth > a.depth ? b : a));
    return {
      pool: template.pool.name,
      reasons: [best.reason, ...(best.cause ? [best.cause] : [])],
      ...(best.funnel && { funnel: best.funnel }),
    };
  });
  return [...refusals, ...problem.unusablePools.map(({ pool, reason }) => ({ pool, reasons: [reason] }))];
}

/** The sets of types that are left after each condition are computed again. */
const OPERATIONS_PER_POOL = 300;

export const refuseInAllPools = (reason: Reason, { pools }: Pick<ClusterSnapshot, 'pools'>): PoolRefusal[] =>
  pools.map(({ name }) => ({ pool: name, reasons: [reason] }));

interface PoolCheck {
  readonly reason: Reason;
  /** The underlying cause, if known. */
  readonly cause?: Reason;
  /** Number of conditions that passed before this one failed. */
  readonly depth: number;
  readonly funnel?: Funnel;
}

/** A pod class under one relaxation, and a NodePool. */
interface PoolQuery {
  readonly template: NodeClaimTemplate;
  readonly cls: PodClass;
  readonly relaxation: Relaxation;
  readonly rules: ClassTopology;
}

function checkPool(query: PoolQuery, problem: Problem): PoolCheck {
  const { template, cls, relaxation } = query;
  const { typeIndex, offerings } = problem;
  const pool = template.pool.name;
  const { refusal } = cls.spec.resolved ?? {};
  if (refusal) return { depth: 0, reason: refusal };
  const taint = findUntoleratedTaint(template.pool.taints, relaxation.tolerations);
  if (taint) {
    const fields = { pool, taint: formatTaint(taint) };
    return { depth: 0, reason: { code: 'taint-not-tolerated', fields } };
  }

  const narrowing = narrowTemplate(template, relaxation.requirements, typeIndex, offerings.zones);
  if (narrowing.outcome === 'conflict') {
    const { conflict } = narrowing;
    const subnets = findSubnetReason(template, conflict, problem);
    return {
      depth: 1,
      reason: subnets ?? createConflictReason(pool, conflict, problem, relaxation),
    };
  }
  const remaining = computeRemainingTypes(query, narrowing.narrowed, problem);
  const check = checkTypes(query, remaining, problem) ?? checkOfferings(query, remaining, problem);
  return { ...check, funnel: computeFunnel(template, remaining, problem) };
}

/** The types of the NodePool that remain after each condition. */
interface RemainingTypes {
  readonly narrowed: Narrowed;
  readonly fitting: Bitset;
  readonly offered: Bitset;
  /** Subset of `fitting`. */
  readonly withinLimits: Bitset;
}

function computeRemainingTypes({ template, cls }: PoolQuery, narrowed: Narrowed, problem: Problem): RemainingTypes {
  const request = toVector(problem.columns, cls.spec.requests);
  const holding = findTypesHolding(template.daemons, request, problem, cls.spec);
  const fitting = intersection(narrowed.types, holding);
  return {
    narrowed,
    fitting,
    offered: intersection(fitting, problem.offerings.offered(narrowed.where)),
    withinLimits: findTypesWithinLimits(template, fitting, problem),
  };
}

/** Returns undefined if the NodePool has types for the pod. */
function checkTypes(
  { template, cls, relaxation }: PoolQuery,
  { narrowed, fitting }: RemainingTypes,
  problem: Problem,
): PoolCheck | undefined {
  if (isEmptyBitset(narrowed.types) || hasNoScope(narrowed)) {
    return { depth: 2, reason: findRequirementReason(template, relaxation, problem) };
  }
  if (isEmptyBitset(fitting)) {
    const request = toVector(problem.columns, cls.spec.requests);
    const reason =
      findDaemonPortConflict(narrowed.types, request, cls, template.daemons, problem) ??
      createTooLargeReason(narrowed.types, request, cls, template.daemons, problem);
    return { depth: 3, reason };
  }
  const devices = findDeviceShortage(cls.spec, { ...narrowed, template, types: fitting }, problem);
  return devices && { depth: 3, reason: devices };
}

function checkOfferings(
  { template, cls, relaxation, rules }: PoolQuery,
  { narrowed, fitting, offered, withinLimits }: RemainingTypes,
  problem: Problem,
): PoolCheck {
  const pool = template.pool.name;
  if (isEmptyBitset(offered)) {
    const reason = createNoOfferingReason(narrowed, fitting, problem);
    const zonalShift = findShiftReason(narrowed.where, problem);
    const isCause = zonalShift !== undefined && reason.code !== zonalShift.code;
    return { depth: 4, reason, ...(isCause && { cause: zonalShift }) };
  }
  const unmet = resolveMinValues(template, offered, problem)
    ? undefined
    : findUnmetMinValues(template, offered, problem);
  if (unmet) {
    return { depth: 5, reason: createMinValuesReason(template, unmet, problem) };
  }
  if (!overlaps(withinLimits, offered)) {
    return { depth: 6, reason: createLimitReason(template, offered, problem) };
  }
  const cause = findAwaitedDomainReason(narrowed, fitting, findAwaitedDomain(rules, relaxation), problem);
  const topology = findTopologyReason({ pool }, rules, relaxation);
  const devicesTaken = topology.code === 'pod-not-considered' ? createDevicesTakenReason(cls.spec) : undefined;
  return { depth: 7, reason: devicesTaken ?? topology, ...(cause && { cause }) };
}

/** Also gives what the NodePool alone leaves, without the pod: less than wanted helps no pod. */
function createMinValuesReason(
  template: NodeClaimTemplate,
  { key, count, values }: UnmetMinValues,
  problem: Problem,
): Reason {
  const offered = intersection(template.types, problem.offerings.offered(template.where));
  const ofPool = findUnmetMinValues(template, offered, problem, [{ key, count }]);
  return {
    code: 'min-values-unmet',
    fields: {
      pool: template.pool.name,
      key,
      wanted: `${count}`,
      found: `${values}`,
      ...(ofPool && { ofPool: `${ofPool.values}` }),
    },
  };
}

/**
 * Explains why no node can be launched in the domain that a spread waits for, if capacity is the
 * cause.
 */
function findAwaitedDomainReason(
  narrowed: Narrowed,
  fitting: Bitset,
  awaited: { readonly key: string; readonly domain: string } | undefined,
  problem: Problem,
): Reason | undefined {
  if (!awaited) return undefined;
  const { typeIndex, offerings } = problem;
  const inDomain = pinDomain(narrowed, awaited.key, awaited.domain, typeIndex, offerings.zones);
  const types = intersection(fitting, inDomain.types);
  if (hasNoScope(inDomain) || isEmptyBitset(types)) return undefined;
  return overlaps(types, offerings.offered(inDomain.where))
    ? undefined
    : createNoOfferingReason(inDomain, types, problem);
}

function computeFunnel(
  template: NodeClaimTemplate,
  { narrowed, fitting, withinLimits }: RemainingTypes,
  { typeIndex, offerings, snapshot }: Problem,
): Funnel {
  const all = typeIndex.ofList(ownValue(snapshot.instanceTypes, template.pool.name) ?? []);
  const { where } = narrowed;
  return {
    all: offerings.count(all, offerings.everywhere, false),
    allowedByPool: offerings.count(template.types, template.where, false),
    allowedByPod: offerings.count(narrowed.types, where, false),
    fitting: offerings.count(fitting, where, false),
    available: offerings.count(fitting, where, true),
    withinLimits: offerings.count(withinLimits, where, true),
  };
}
