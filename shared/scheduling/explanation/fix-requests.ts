import { findNearestWord } from '../../model/nearest-word.ts';
import { findTemplateOwner } from '../../model/pods/pod.ts';
import { formatAmount } from '../../model/quantity.ts';
import { CPU, MEMORY, MIB, type Resources } from '../../model/resources.ts';
import { findTypesHolding } from '../assignment/pod-groups.ts';
import { type Bitset, intersection } from '../data-structures/bitset.ts';
import { at, toVector } from '../data-structures/resource-vectors.ts';
import type { Problem } from '../input/problem.ts';
import { narrowTemplate } from '../instance-types/narrowing.ts';
import type { NodeClaimTemplate } from '../instance-types/node-claim-templates.ts';
import { findLargest } from '../instance-types/type-index.ts';
import { listFullyRelaxed } from '../pods/relaxations.ts';
import type { FixProposer } from './fix-proposal.ts';

/** The unit that a smaller request is rounded down to. */
const ROUNDED_TO: Readonly<Record<string, number>> = { [CPU]: 100, [MEMORY]: 64 * MIB };
/** A pod that needs this share of its request or less is another pod. */
const MIN_SHARE = 0.5;

/** Proposes the largest request with which the pods fit the types that the NodePool allows now. */
export const proposeSmallerRequest: FixProposer = (pool, _, pods, problem) => {
  const [pod] = pods;
  const template = problem.nodeTemplates.find((one) => one.pool.name === pool.name);
  const [relaxation] = pod ? listFullyRelaxed(pod.spec) : [];
  if (!pod || !template || !relaxation) return [];
  const { typeIndex, offerings, snapshot } = problem;
  const narrowing = narrowTemplate(template, relaxation.requirements, typeIndex, offerings.zones);
  if (narrowing.outcome === 'conflict') return [];
  const { requests } = pod.spec;
  return Object.keys(ROUNDED_TO).flatMap((resource) => {
    const requested = requests[resource] ?? 0;
    const room = findRoom(resource, requests, narrowing.narrowed.types, template, problem);
    if (room >= requested || room < requested * MIN_SHARE) return [];
    const spec = { ...pod.spec, requests: { ...requests, [resource]: room } };
    return [
      {
        kind: 'reduce-request',
        object: findTemplateOwner(pod),
        path: `${pod.owner ? 'spec.template.spec' : 'spec'}.containers[].resources.requests.${resource}`,
        from: formatAmount(resource, requested),
        to: formatAmount(resource, room),
        snapshot,
        pods: pods.map((one) => ({ ...one, spec })),
      },
    ];
  });
};

/**
 * Computes how much of the resource a pod may request that keeps its other requests: the most that a
 * type has beside its DaemonSets, rounded down.
 */
function findRoom(
  resource: string,
  requests: Resources,
  types: Bitset,
  { daemons }: NodeClaimTemplate,
  problem: Problem,
): number {
  const { columns, typeIndex } = problem;
  const column = columns.indexOf.get(resource);
  if (column === undefined) return 0;
  const others = toVector(columns, { ...requests, [resource]: 0 });
  const rooms = daemons.map((group) => {
    const holding = findTypesHolding([group], others, problem);
    const largest = findLargest(typeIndex, intersection(types, holding), column);
    return largest ? largest.amount - at(group.overhead, column) : 0;
  });
  const unit = ROUNDED_TO[resource] ?? 1;
  return Math.floor(Math.max(0, ...rooms) / unit) * unit;
}

/** Requests the resource that the name of one which no instance type has probably means. */
export const proposeCorrectResource: FixProposer = (_, { fields: { missing = '' } }, pods, { typeIndex, snapshot }) => {
  const [pod] = pods;
  const requested = pod?.spec.requests[missing];
  const existing = new Set(typeIndex.types.flatMap(({ allocatable }) => Object.keys(allocatable)));
  if (!pod || requested === undefined || existing.has(missing)) return [];
  const to = findNearestWord(missing, existing) ?? [...existing].find((one) => isShortFor(missing, one));
  if (to === undefined) return [];
  const { [missing]: _missing, ...others } = pod.spec.requests;
  const spec = { ...pod.spec, requests: { ...others, [to]: requested } };
  return [
    {
      isNeeded: true,
      kind: 'rename-resource',
      object: findTemplateOwner(pod),
      path: `${pod.owner ? 'spec.template.spec' : 'spec'}.containers[].resources.requests`,
      ...{ from: missing, to },
      snapshot,
      pods: pods.map((one) => ({ ...one, spec })),
    },
  ];
};

/** `nvidia/gpu` is short for `nvidia.com/gpu`. */
function isShortFor(short: string, resource: string): boolean {
  const [domain = '', name] = short.split('/');
  return name !== undefined && domain !== '' && resource.startsWith(domain) && resource.endsWith(`/${name}`);
}
