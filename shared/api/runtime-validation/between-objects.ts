import { CAPACITY_TYPE_LABEL } from '../../model/labels.ts';
import { findNearestWord } from '../../model/nearest-word.ts';
import { allowsValue, EXISTS } from '../../model/requirements/requirement.ts';
import { toRequirements } from '../../model/requirements/requirements.ts';
import type { EC2NodeClassSpec } from '../custom-resources/ec2-node-class.ts';
import type { NodePoolSpec } from '../custom-resources/node-pool.ts';
import { quoteUnlessName } from '../finding.ts';
import { isOurClass } from '../stored-objects/ec2-node-class.ts';
import { readRequirement } from '../stored-objects/requirement.ts';
import { createFault, type Fault } from './fault.ts';
import type { NamedOverlay } from './overlay-faults.ts';

export interface ReferencedObject<Spec> {
  readonly name: string;
  readonly spec: Spec;
}

/** The parts of a set of manifests that refer to each other. */
export interface ObjectSet {
  readonly pools: readonly ReferencedObject<NodePoolSpec>[];
  readonly classes: readonly ReferencedObject<EC2NodeClassSpec>[];
  readonly overlays: readonly NamedOverlay[];
}

/**
 * Reports a reference to a class of a kind that is not served, or that the manifests do not contain
 * although they contain others.
 */
export function listMissingClassFaults({ template }: NodePoolSpec, { classes }: ObjectSet): readonly Fault[] {
  const { nodeClassRef } = template.spec;
  const path = ['spec', 'template', 'spec', 'nodeClassRef'];
  if (!isOurClass(nodeClassRef)) {
    const { group, kind } = nodeClassRef;
    const why = `${quoteUnlessName(kind)} of ${quoteUnlessName(group)} is not served: the pool is left to another autoscaler`;
    const fix = 'write group karpenter.k8s.aws and kind EC2NodeClass, if it is meant for Mortise';
    return [createFault('missing-reference', path, why, fix)];
  }
  const names = classes.map(({ name }) => name);
  if (names.length === 0 || names.includes(nodeClassRef.name)) return [];
  const meant = findNearestWord(nodeClassRef.name, names);
  return [
    createFault(
      'missing-reference',
      [...path, 'name'],
      `no EC2NodeClass ${nodeClassRef.name} in these files: the pool is not Ready without it`,
      meant ? `add it, or name ${meant} in its place` : 'add it',
    ),
  ];
}

/** Reports selected reservations that no pool of the class may use. */
export function listUnusedReservationFaults(
  { name, spec }: ReferencedObject<EC2NodeClassSpec>,
  { pools }: ObjectSet,
): readonly Fault[] {
  const users = pools.filter(({ spec: { template } }) => template.spec.nodeClassRef.name === name);
  const isUnused = users.length > 0 && !users.some((pool) => allowsReserved(pool.spec));
  if (!isUnused || !spec.capacityReservationSelectorTerms) return [];
  return [
    createFault(
      'reserved',
      ['spec', 'capacityReservationSelectorTerms'],
      `no NodePool of this class allows the capacity type reserved: ${users.map((pool) => pool.name).join(', ')}`,
      `add reserved to the values of ${CAPACITY_TYPE_LABEL} in a NodePool`,
    ),
  ];
}

function allowsReserved({ template }: NodePoolSpec): boolean {
  const requirements = toRequirements(template.spec.requirements.map(readRequirement));
  const label = template.metadata?.labels?.[CAPACITY_TYPE_LABEL] ?? 'reserved';
  return label === 'reserved' && allowsValue(requirements.get(CAPACITY_TYPE_LABEL) ?? EXISTS, 'reserved');
}
