import {
  CAPACITY_TYPE_LABEL,
  HOSTNAME_LABEL,
  similarWellKnownLabel,
  ZONE_LABEL,
} from '../model/labels.ts';
import type { Funnel, NodeRefusal, PoolRefusal } from '../model/plans.ts';
import { formatAmount } from '../model/quantity.ts';
import type { Reason } from '../model/reasons.ts';
import { type Conflict, findConflict, formatRequirement } from '../model/requirements.ts';
import { formatSelector } from '../model/selectors.ts';
import { formatTaint, untoleratedTaint } from '../model/taints.ts';
import type { Alternative } from './alternatives.ts';
import { type Bitset, forEachBit, intersection, isEmptyBitset } from './bitset.ts';
import { leastCount } from './domain-choice.ts';
import type { ExistingBin } from './existing-bins.ts';
import { takenPort } from './host-ports.ts';
import { hostRoom, onHost } from './host-rules.ts';
import type { PodClass } from './pod-classes.ts';
import { CAPACITY_TYPES } from './price-table.ts';
import type { Problem } from './problem.ts';
import {
  allowanceOf,
  meetsMinValues,
  type Narrowed,
  narrowTemplate,
  type Template,
} from './templates.ts';
import type { ClassTopology, Topology, TopologyGroup } from './topology.ts';
import { mostOf } from './type-index.ts';
import { typesHolding } from './units.ts';
import { at, timesWithin, toVector, type Vector } from './vectors.ts';

/** Why each pool cannot take the pod: one entry per pool, the cause that bites first. */
export function poolRefusals(cls: PodClass, topology: Topology, problem: Problem): PoolRefusal[] {
  // What the pod demands at the very least: the last alternative has given up every preference.
  const alternatives = leastDemanding(cls);
  const rules = topology.of(cls, alternatives[0]);
  const refusals = problem.templates.map((template): PoolRefusal => {
    const looked = alternatives.map((alternative) =>
      lookAt(template, cls, alternative, rules, problem),
    );
    // Of several required terms the one that got furthest says most.
    const best = looked.reduce((a, b) => (b.depth > a.depth ? b : a));
    return {
      pool: template.pool.name,
      reasons: [best.reason],
      ...(best.funnel ? { funnel: best.funnel } : {}),
    };
  });
  return [
    ...refusals,
    ...problem.unusable.map(({ pool, reason }) => ({ pool, reasons: [reason] })),
  ];
}

function leastDemanding(cls: PodClass): readonly [Alternative, ...Alternative[]] {
  const terms = Math.max(1, cls.spec.requiredNodeTerms.length);
  const [first, ...rest] = cls.alternatives.slice(-terms);
  if (!first) throw new RangeError('a pod class has at least one alternative');
  return [first, ...rest];
}

interface Look {
  readonly reason: Reason;
  /** How many conditions were met before this one. */
  readonly depth: number;
  readonly funnel?: Funnel;
}

function lookAt(
  template: Template,
  cls: PodClass,
  alternative: Alternative,
  rules: ClassTopology,
  problem: Problem,
): Look {
  const { index, offerings } = problem;
  const pool = template.pool.name;
  const taint = untoleratedTaint(template.pool.taints, alternative.tolerations);
  if (taint) {
    const fields = { pool, taint: formatTaint(taint) };
    return { depth: 0, reason: { code: 'taint-not-tolerated', fields } };
  }

  const narrowing = narrowTemplate(template, alternative.requirements, index, offerings.zones);
  if (narrowing.outcome === 'conflict') {
    return { depth: 1, reason: conflictReason(pool, narrowing.conflict) };
  }
  const { narrowed } = narrowing;
  const request = toVector(problem.columns, cls.spec.requests);
  const fitting = intersection(
    narrowed.types,
    typesHolding(template.daemons, request, problem, cls),
  );
  const withinLimits = typesWithinLimits(template, fitting, problem);
  const funnel = funnelOf(template, narrowed, fitting, withinLimits, problem);
  const look = (depth: number, reason: Reason): Look => ({ depth, reason, funnel });

  if (isEmptyBitset(narrowed.types) || noPlace(narrowed)) {
    return look(2, requirementReason(template, alternative, problem));
  }
  if (isEmptyBitset(fitting)) return look(3, tooLarge(narrowed.types, request, cls, problem));
  const offered = intersection(fitting, offerings.offered(narrowed.where));
  if (isEmptyBitset(offered)) return look(4, noOffering(narrowed, fitting, problem));
  const unmet = meetsMinValues(template, offered, index);
  if (unmet) {
    const fields = { pool, key: unmet.key, wanted: `${unmet.wanted}`, found: `${unmet.found}` };
    return look(5, { code: 'min-values-unmet', fields });
  }
  if (isEmptyBitset(intersection(withinLimits, offered))) {
    return look(6, limitReason(template, offered, problem));
  }
  return look(7, topologyReason(pool, rules, alternative));
}

const noPlace = ({ where }: Narrowed): boolean => where.zones === 0 || where.capacityTypes === 0;

function conflictReason(pool: string, { key, wanted, given }: Conflict): Reason {
  if (!given) {
    const similar = similarWellKnownLabel(key);
    const fields = { pool, key, ...(similar ? { similar: `did you mean ${similar}` } : {}) };
    return { code: 'unknown-label', fields };
  }
  const fields = { pool, key, wanted: formatRequirement(wanted), given: formatRequirement(given) };
  return { code: 'requirement-conflict', fields };
}

/** Which of the pod's requirements leaves nothing of the pool. */
function requirementReason(
  template: Template,
  { requirements }: Alternative,
  { index, offerings }: Problem,
): Reason {
  const pool = template.pool.name;
  for (const [key, wanted] of requirements) {
    const alone = narrowTemplate(template, new Map([[key, wanted]]), index, offerings.zones);
    if (alone.outcome === 'conflict') return conflictReason(pool, alone.conflict);
    if (!isEmptyBitset(alone.narrowed.types) && !noPlace(alone.narrowed)) continue;
    const allowed = template.requirements.get(key);
    const given = allowed ? formatRequirement(allowed) : 'other values';
    const fields = { pool, key, wanted: formatRequirement(wanted), given };
    return { code: 'requirement-conflict', fields };
  }
  const criteria = [...requirements]
    .map(([key, wanted]) => `${key} ${formatRequirement(wanted)}`)
    .join(', ');
  const fields = { pool, criteria, missing: 'all of them at once' };
  return { code: 'no-type-matches', fields };
}

function tooLarge(types: Bitset, request: Vector, cls: PodClass, problem: Problem): Reason {
  const { columns, index } = problem;
  for (const [column, resource] of columns.names.entries()) {
    const wanted = at(request, column);
    const most = wanted > 0 ? mostOf(index, types, column) : undefined;
    if (!most || most.amount >= wanted) continue;
    const fields = {
      resource,
      request: formatAmount(resource, wanted),
      type: most.type,
      free: formatAmount(resource, most.amount),
    };
    return { code: 'too-large', fields };
  }
  // Each resource fits somewhere, but no type has all of them (or has them beside its DaemonSets).
  const criteria = Object.entries(cls.spec.requests)
    .filter(([name, amount]) => name !== 'pods' && amount > 0)
    .map(([name, amount]) => `${formatAmount(name, amount)} ${name}`)
    .join(', ');
  return { code: 'no-type-matches', fields: { criteria, missing: 'one type with all of it' } };
}

function noOffering({ where }: Narrowed, fitting: Bitset, problem: Problem): Reason {
  const { offerings, snapshot, index } = problem;
  const zones = offerings.zones.filter((_, bit) => where.zones & (2 ** bit));
  const capacityTypes = CAPACITY_TYPES.filter((_, bit) => where.capacityTypes & (2 ** bit));
  const names = new Set<string>();
  forEachBit(fitting, (type) => names.add(index.types[type]?.name ?? ''));
  const dry = snapshot.unavailable.find(
    ({ instanceType, until }) =>
      until > snapshot.takenAt && (instanceType === undefined || names.has(instanceType)),
  );
  if (dry && offerings.count(fitting, where, false) > 0) {
    const fields = {
      type: dry.instanceType ?? 'every type',
      capacityType: dry.capacityType ?? '',
      zone: dry.zone ?? 'every zone',
      until: `${dry.until}`,
    };
    return { code: 'ice', fields };
  }
  const fields = { capacityType: capacityTypes.join(' or '), zone: zones.join(', ') };
  return { code: 'no-offering-in-zone', fields };
}

function typesWithinLimits(template: Template, types: Bitset, problem: Problem): Bitset {
  if (!template.limited) return types;
  const { pool } = template;
  const { left, nodes } = allowanceOf(pool, problem.usage.get(pool.name), problem.columns);
  if (nodes < 1) return problem.index.none;
  const within = types.slice();
  forEachBit(types, (type) => {
    const capacity = problem.index.capacity[type] ?? new Float64Array();
    if (left.some((amount, column) => at(capacity, column) > amount)) {
      within[type >>> 5] = (within[type >>> 5] ?? 0) & ~(1 << (type & 31));
    }
  });
  return within;
}

function limitReason(template: Template, fitting: Bitset, problem: Problem): Reason {
  const { pool } = template;
  const usage = problem.usage.get(pool.name);
  const { left, nodes } = allowanceOf(pool, usage, problem.columns);
  if (nodes < 1) {
    const fields = {
      pool: pool.name,
      resource: 'nodes',
      used: `${usage?.nodes ?? 0}`,
      limit: `${pool.limits.nodes ?? 0}`,
      type: 'any type',
      needed: '1',
    };
    return { code: 'limit-reached', fields };
  }
  const smallest = smallestType(fitting, left, problem);
  const resource = problem.columns.names[smallest.column] ?? '';
  const limit = pool.limits[resource] ?? 0;
  const fields = {
    pool: pool.name,
    resource,
    used: formatAmount(resource, limit - at(left, smallest.column)),
    limit: formatAmount(resource, limit),
    type: smallest.type,
    needed: formatAmount(resource, smallest.needed),
  };
  return { code: 'limit-reached', fields };
}

/** The type that overdraws a limit by least, and the resource in which it does. */
function smallestType(types: Bitset, left: Vector, { index }: Problem) {
  let best = { type: '', column: 0, needed: 0, over: Infinity };
  forEachBit(types, (type) => {
    const capacity = index.capacity[type] ?? new Float64Array();
    let worst = { column: 0, needed: 0, over: -Infinity };
    for (let column = 0; column < left.length; column++) {
      const needed = at(capacity, column);
      const over = needed / Math.max(1, at(left, column));
      if (needed > at(left, column) && over > worst.over) worst = { column, needed, over };
    }
    if (worst.over > -Infinity && worst.over < best.over) {
      best = { type: index.types[type]?.name ?? '', ...worst };
    }
  });
  return best;
}

function funnelOf(
  template: Template,
  narrowed: Narrowed,
  fitting: Bitset,
  withinLimits: Bitset,
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

/** All else is met: a rule about where pods may be together is what holds the pod. */
function topologyReason(pool: string, rules: ClassTopology, alternative: Alternative): Reason {
  for (const { group } of rules.owned) {
    if (group.kind === 'affinity') {
      const fields = { pool, key: group.key, selector: formatSelector(group.selector) };
      return { code: 'pod-affinity', fields };
    }
    if (group.kind === 'anti-affinity' && group.key !== HOSTNAME_LABEL) {
      return antiAffinityReason(pool, group, group.counts);
    }
    if (group.kind === 'spread') return spreadReason(pool, group, alternative);
  }
  const barring = rules.barredBy[0];
  if (barring) return antiAffinityReason(pool, barring, barring.owners);
  return {
    code: 'pod-not-considered',
    fields: { pool, why: 'other pods of this batch came first' },
  };
}

function antiAffinityReason(
  pool: string,
  { key, selector, domains }: TopologyGroup,
  counts: ReadonlyMap<string, number>,
): Reason {
  const taken = domains.filter((domain) => (counts.get(domain) ?? 0) > 0);
  const fields = { pool, key, other: formatSelector(selector), domains: taken.join(', ') };
  return { code: 'pod-anti-affinity', fields };
}

function spreadReason(pool: string, group: TopologyGroup, alternative: Alternative): Reason {
  const counts = group.domains.map((domain) => `${domain} ${group.counts.get(domain) ?? 0}`);
  const least = leastCount(group, alternative);
  const emptiest = group.domains.filter((domain) => (group.counts.get(domain) ?? 0) <= least);
  const fields = {
    pool,
    key: group.key,
    maxSkew: `${group.maxSkew}`,
    counts: counts.slice(0, 25).join(', '),
    domain: emptiest.join(', '),
  };
  return { code: 'topology-spread', fields };
}

/** The nodes that come closest to taking the pod: those with most of its CPU and memory free. */
export function nodeRefusals(cls: PodClass, topology: Topology, problem: Problem): NodeRefusal[] {
  const alternatives = leastDemanding(cls);
  const [alternative] = alternatives;
  const rules = topology.of(cls, alternative);
  const request = toVector(problem.columns, cls.spec.requests);
  return problem.bins
    .filter(({ leaving }) => !leaving)
    .map((bin) => ({ bin, missing: missingShare(request, bin.free) }))
    .toSorted((a, b) => a.missing - b.missing || (a.bin.name < b.bin.name ? -1 : 1))
    .slice(0, 10)
    .map(({ bin }) => ({
      node: bin.name,
      reason: whyNot(bin, cls, alternative, rules, request, problem),
    }));
}

function missingShare(request: Vector, free: Vector): number {
  let missing = 0;
  for (let column = 0; column < request.length; column++) {
    const wanted = at(request, column);
    if (wanted > 0) missing += Math.max(0, wanted - Math.max(0, at(free, column))) / wanted;
  }
  return missing;
}

function whyNot(
  bin: ExistingBin,
  cls: PodClass,
  { requirements, tolerations }: Alternative,
  rules: ClassTopology,
  request: Vector,
  { columns }: Problem,
): Reason {
  const node = bin.name;
  const taint = untoleratedTaint(bin.taints, tolerations);
  if (taint) return { code: 'taint-not-tolerated', fields: { node, taint: formatTaint(taint) } };
  const conflict = findConflict(bin.requirements, requirements);
  if (conflict) return conflictReason(node, conflict);
  if (timesWithin(request, bin.free) === 0) {
    const column = request.findIndex((wanted, at_) => wanted > 0 && wanted > at(bin.free, at_));
    const resource = columns.names[column] ?? '';
    const fields = {
      resource,
      request: formatAmount(resource, at(request, column)),
      type: node,
      free: formatAmount(resource, Math.max(0, at(bin.free, column))),
    };
    return { code: 'too-large', fields };
  }
  const port = takenPort(cls.spec.hostPorts, bin.hostPorts);
  if (port) {
    const fields = { node, port: `${port.protocol}/${port.port}`, other: 'a pod that runs there' };
    return { code: 'host-port-conflict', fields };
  }
  const host = bin.labels[HOSTNAME_LABEL] ?? node;
  const rule =
    rules.owned.find(({ group }) => group.key === HOSTNAME_LABEL)?.group ?? rules.barredBy[0];
  if (hostRoom(rules, onHost(host)) === 0 && rule) {
    const fields = { key: rule.key, other: formatSelector(rule.selector), domains: host };
    return { code: 'pod-anti-affinity', fields };
  }
  const zone = bin.labels[ZONE_LABEL] ?? bin.labels[CAPACITY_TYPE_LABEL] ?? '';
  const spread = rules.owned.find(({ group }) => group.kind === 'spread')?.group;
  const fields = {
    node,
    key: spread?.key ?? ZONE_LABEL,
    maxSkew: `${spread?.maxSkew ?? 1}`,
    counts: '',
    domain: zone,
  };
  return { code: 'topology-spread', fields };
}
