import { formatFix } from '../model/explanations/plan-text.ts';
import { ARCH_LABEL, CAPACITY_TYPE_LABEL, normaliseLabelKey, OS_LABEL, ZONE_LABEL } from '../model/labels.ts';
import type { InstanceType } from '../model/offerings/instance-type.ts';
import { ownValue } from '../model/own-value.ts';
import type { PlannedClaim } from '../model/plans.ts';
import type { RequirementSpec } from '../model/requirements/requirement-specs.ts';
import { excludeKinds, listMissingKinds, type MissingKinds, nameKinds } from '../scheduling/explanation/added-kinds.ts';
import { describeValues, withPool } from '../scheduling/explanation/fix-proposal.ts';
import { widenRequirement } from '../scheduling/explanation/widen-requirement.ts';
import { prepare } from '../scheduling/input/problem.ts';
import type { NodeProposal, Question } from './node-proposal.ts';
import { formatPoolPatch } from './patches.ts';

/** Images run on one architecture, and spot is a choice of its own: neither is proposed. */
const KEPT_LABELS: ReadonlySet<string> = new Set([ARCH_LABEL, OS_LABEL, CAPACITY_TYPE_LABEL]);

/**
 * Allows in each requirement of the NodePool, one at a time, the values of the types that would replace the node
 * without the requirement. Kinds of instances that the NodePool does not have are proposed, and named, only if
 * no others are cheaper.
 */
export function proposeCheaperTypes(question: Question): readonly NodeProposal[] {
  const { snapshot, pool } = question;
  const kinds = listMissingKinds(pool, [], prepare(snapshot));
  const proposals = proposeTypes(question, kinds, excludeKinds(kinds));
  return proposals.length > 0 || kinds.size === 0 ? proposals : proposeTypes(question, kinds, []);
}

function proposeTypes(
  { snapshot, claim, pool, judge }: Question,
  kinds: MissingKinds,
  kept: readonly RequirementSpec[],
): readonly NodeProposal[] {
  const withRequirements = (requirements: typeof pool.requirements): typeof snapshot =>
    withPool(snapshot, { ...pool, requirements });
  return pool.requirements.flatMap((requirement, index): NodeProposal[] => {
    const { key } = requirement;
    if (KEPT_LABELS.has(normaliseLabelKey(key))) return [];
    const without = [...pool.requirements.toSpliced(index, 1), ...kept];
    const { command } = judge(claim.name, withRequirements(without));
    const replacements = command?.replacements ?? [];
    const types = replacements.flatMap((one) => findType(one, snapshot));
    const values = widenRequirement(
      requirement,
      normaliseLabelKey(key) === ZONE_LABEL
        ? replacements.map(({ cheapest }) => cheapest.zone)
        : types.flatMap(({ labels }) => ownValue(labels, normaliseLabelKey(key)) ?? []),
    );
    if (!values) return [];
    const adds = nameKinds(types, kinds);
    const change = {
      ...describeValues(pool, index, requirement, values),
      ...(adds.length > 0 && { adds }),
      hourlyUsd: 0,
    };
    const patch = formatPoolPatch(change, pool);
    return [
      {
        snapshot: withRequirements(pool.requirements.with(index, { ...requirement, values })),
        fix: { ...change, text: formatFix(change), ...(patch !== undefined && { patch }) },
      },
    ];
  });
}

/** The cheapest type that the claim may become. */
const findType = (
  { claim, cheapest }: PlannedClaim,
  { instanceTypes }: Question['snapshot'],
): readonly InstanceType[] =>
  (ownValue(instanceTypes, claim.pool) ?? []).filter(({ name }) => name === cheapest.instanceType);
