import { formatFix } from '../model/explanations/plan-text.ts';
import {
  ARCH_LABEL,
  CAPACITY_TYPE_LABEL,
  normaliseLabelKey,
  OS_LABEL,
  ZONE_LABEL,
} from '../model/labels.ts';
import { ownValue } from '../model/own-value.ts';
import type { Fix, PlannedClaim } from '../model/plans.ts';
import { excludeKinds, listMissingKinds } from '../scheduling/explanation/added-kinds.ts';
import { widenRequirement } from '../scheduling/explanation/widen-requirement.ts';
import { prepare } from '../scheduling/input/problem.ts';
import type { NodeProposal, Question } from './node-proposal.ts';
import { formatPoolPatch } from './patches.ts';

/** Images run on one architecture, and spot is a choice of its own: neither is proposed. */
const KEPT_LABELS: ReadonlySet<string> = new Set([ARCH_LABEL, OS_LABEL, CAPACITY_TYPE_LABEL]);

/**
 * Allows in each requirement of the NodePool, one at a time, the values of the types that would replace the node
 * without the requirement. Kinds of instances that the NodePool does not have are not proposed.
 */
export function proposeCheaperTypes({
  snapshot,
  claim,
  pool,
  judge,
}: Question): readonly NodeProposal[] {
  const kept = excludeKinds(listMissingKinds(pool, [], prepare(snapshot)));
  const withRequirements = (requirements: typeof pool.requirements): typeof snapshot => ({
    ...snapshot,
    pools: snapshot.pools.map((one) => (one.name === pool.name ? { ...pool, requirements } : one)),
  });
  return pool.requirements.flatMap((requirement, index): NodeProposal[] => {
    const { key, values: present = [] } = requirement;
    if (KEPT_LABELS.has(normaliseLabelKey(key))) return [];
    const without = [...pool.requirements.toSpliced(index, 1), ...kept];
    const { command } = judge(claim.name, withRequirements(without));
    const needed = command?.replacements.flatMap((one) => findValue(one, key, snapshot)) ?? [];
    const values = widenRequirement(requirement, needed);
    if (!values) return [];
    const change: Fix = {
      kind: 'allow-values',
      object: `NodePool/${pool.name}`,
      path: `spec.template.spec.requirements[${index}].values`,
      key,
      from: `[${present.join(', ')}]`,
      to: `[${values.join(', ')}]`,
      hourlyUsd: 0,
    };
    const patch = formatPoolPatch(change, pool);
    return [
      {
        snapshot: withRequirements(pool.requirements.with(index, { ...requirement, values })),
        fix: {
          ...{ ...change, kind: 'allow-values', text: formatFix(change) },
          ...(patch !== undefined && { patch }),
        },
      },
    ];
  });
}

/** The label of the cheapest node that the claim may become. */
function findValue(
  { claim, cheapest: { instanceType, zone } }: PlannedClaim,
  key: string,
  { instanceTypes }: Question['snapshot'],
): readonly string[] {
  if (normaliseLabelKey(key) === ZONE_LABEL) return [zone];
  const type = ownValue(instanceTypes, claim.pool)?.find(({ name }) => name === instanceType);
  return [ownValue(type?.labels ?? {}, normaliseLabelKey(key)) ?? []].flat();
}
