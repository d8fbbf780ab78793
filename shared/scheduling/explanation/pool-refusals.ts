import type { Funnel, PoolRefusal } from '../../model/plans.ts';
import type { Reason } from '../../model/reasons.ts';
import { formatTaint, untoleratedTaint } from '../../model/taints.ts';
import { devicesMissing, devicesTaken } from './device-reasons.ts';
import { type Narrowed, narrowTemplate, pinDomain } from '../instance-types/narrowing.ts';
import { typesHolding } from '../assignment/pod-groups.ts';
import { type Alternative, leastDemanding } from '../pods/relaxations.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Problem } from '../input/problem.ts';
import type { ClassTopology, Topology } from '../topology/topology.ts';
import { type Bitset, intersection, isEmptyBitset, overlaps } from '../data-structures/bitset.ts';
import { minValuesOf, unmetMinValues } from '../instance-types/min-values.ts';
import type { Template } from '../instance-types/node-claim-templates.ts';
import { toVector } from '../data-structures/resource-vectors.ts';
import { noOffering, shiftReason, tooLarge } from './capacity-reasons.ts';
import { limitReason, typesWithinLimits } from './limit-reasons.ts';
import { conflictReason, noPlace, requirementReason, subnetReason } from './requirement-reasons.ts';
import { domainAwaited, topologyReason } from './topology-reasons.ts';

/** Why each pool cannot take the pod: one entry per pool, the cause that bites first. */
export function poolRefusals(cls: PodClass, topology: Topology, problem: Problem): PoolRefusal[] {
  // What the pod demands at the very least: the last alternative has given up every preference.
  const alternatives = leastDemanding(cls.spec);
  const rules = topology.of(cls, alternatives[0]);
  const refusals = problem.templates.map((template): PoolRefusal => {
    const looked = alternatives.map((alternative) =>
      lookAt({ template, cls, alternative, rules }, problem),
    );
    // Of several required terms the one that got furthest says most.
    const best = looked.reduce((a, b) => (b.depth > a.depth ? b : a));
    return {
      pool: template.pool.name,
      reasons: [best.reason, ...(best.beneath ? [best.beneath] : [])],
      ...(best.funnel && { funnel: best.funnel }),
    };
  });
  return [
    ...refusals,
    ...problem.unusable.map(({ pool, reason }) => ({ pool, reasons: [reason] })),
  ];
}

interface Look {
  readonly reason: Reason;
  /** Why that is so, where it is known. */
  readonly beneath?: Reason;
  /** How many conditions were met before this one. */
  readonly depth: number;
  readonly funnel?: Funnel;
}

/** Which pod, taken in which way, and which pool. */
interface Question {
  readonly template: Template;
  readonly cls: PodClass;
  readonly alternative: Alternative;
  readonly rules: ClassTopology;
}

function lookAt(question: Question, problem: Problem): Look {
  const { template, cls, alternative } = question;
  const { index, offerings } = problem;
  const pool = template.pool.name;
  const { refusal } = cls.spec.settled ?? {};
  if (refusal) return { depth: 0, reason: refusal };
  const taint = untoleratedTaint(template.pool.taints, alternative.tolerations);
  if (taint) {
    const fields = { pool, taint: formatTaint(taint) };
    return { depth: 0, reason: { code: 'taint-not-tolerated', fields } };
  }

  const narrowing = narrowTemplate(template, alternative.requirements, index, offerings.zones);
  if (narrowing.outcome === 'conflict') {
    const { conflict } = narrowing;
    const subnets = subnetReason(template, conflict, problem);
    return { depth: 1, reason: subnets ?? conflictReason(pool, conflict, problem, alternative) };
  }
  const rest = restOf(question, narrowing.narrowed, problem);
  const look = lookAtTypes(question, rest, problem) ?? lookAtOffers(question, rest, problem);
  return { ...look, funnel: funnelOf(template, rest, problem) };
}

/** What is left of the pool for the pod, one condition after the other. */
interface Rest {
  readonly narrowed: Narrowed;
  readonly fitting: Bitset;
  readonly offered: Bitset;
  /** Of those that fit. */
  readonly withinLimits: Bitset;
}

function restOf({ template, cls }: Question, narrowed: Narrowed, problem: Problem): Rest {
  const request = toVector(problem.columns, cls.spec.requests);
  const holding = typesHolding(template.daemons, request, problem, cls.spec);
  const fitting = intersection(narrowed.types, holding);
  return {
    narrowed,
    fitting,
    offered: intersection(fitting, problem.offerings.offered(narrowed.where)),
    withinLimits: typesWithinLimits(template, fitting, problem),
  };
}

/** Undefined: the pool has types for it. */
function lookAtTypes(
  { template, cls, alternative }: Question,
  { narrowed, fitting }: Rest,
  problem: Problem,
): Look | undefined {
  if (isEmptyBitset(narrowed.types) || noPlace(narrowed)) {
    return { depth: 2, reason: requirementReason(template, alternative, problem) };
  }
  if (isEmptyBitset(fitting)) {
    const request = toVector(problem.columns, cls.spec.requests);
    return { depth: 3, reason: tooLarge(narrowed.types, request, cls, template.daemons, problem) };
  }
  const devices = devicesMissing(cls.spec, { ...narrowed, template, types: fitting }, problem);
  return devices && { depth: 3, reason: devices };
}

function lookAtOffers(
  { template, cls, alternative, rules }: Question,
  { narrowed, fitting, offered, withinLimits }: Rest,
  problem: Problem,
): Look {
  const pool = template.pool.name;
  if (isEmptyBitset(offered)) {
    const reason = noOffering(narrowed, fitting, problem);
    const shift = shiftReason(narrowed.where, problem);
    const isBeneath = shift !== undefined && reason.code !== shift.code;
    return { depth: 4, reason, ...(isBeneath && { beneath: shift }) };
  }
  const unmet = minValuesOf(template, offered, problem)
    ? undefined
    : unmetMinValues(template, offered, problem);
  if (unmet) {
    const fields = { pool, key: unmet.key, wanted: `${unmet.count}`, found: `${unmet.found}` };
    return { depth: 5, reason: { code: 'min-values-unmet', fields } };
  }
  if (!overlaps(withinLimits, offered)) {
    return { depth: 6, reason: limitReason(template, offered, problem) };
  }
  const beneath = whyNothingThere(narrowed, fitting, domainAwaited(rules, alternative), problem);
  const topology = topologyReason({ pool }, rules, alternative);
  const taken = topology.code === 'pod-not-considered' ? devicesTaken(cls.spec) : undefined;
  return { depth: 7, reason: taken ?? topology, ...(beneath && { beneath }) };
}

/** Why no node comes up in the domain that a spread waits for, if it is for want of capacity. */
function whyNothingThere(
  narrowed: Narrowed,
  fitting: Bitset,
  awaited: { readonly key: string; readonly domain: string } | undefined,
  problem: Problem,
): Reason | undefined {
  if (!awaited) return undefined;
  const { index, offerings } = problem;
  const there = pinDomain(narrowed, awaited.key, awaited.domain, index, offerings.zones);
  const types = intersection(fitting, there.types);
  if (noPlace(there) || isEmptyBitset(types)) return undefined;
  return overlaps(types, offerings.offered(there.where))
    ? undefined
    : noOffering(there, types, problem);
}

function funnelOf(
  template: Template,
  { narrowed, fitting, withinLimits }: Rest,
  { index, offerings, snapshot }: Problem,
): Funnel {
  const all = index.ofList(snapshot.instanceTypes[template.pool.name] ?? []);
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
