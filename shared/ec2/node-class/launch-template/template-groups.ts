import type { CapacityType, InstanceType } from '../../../model/instance-type.ts';
import type { NodeClaim } from '../../../model/node-claim.ts';
import type { EC2NodeClass } from '../../../model/node-class.ts';
import { PODS } from '../../../model/resources.ts';
import { imageFor } from '../image-choice.ts';
import {
  type TemplateClass,
  type TemplateContent,
  type TemplateVariant,
  templateContent,
} from './template-content.ts';

/** Instance types that start from one template. */
export interface TemplateGroup {
  readonly content: TemplateContent;
  readonly instanceTypes: readonly string[];
}

const EFA = 'vpc.amazonaws.com/efa';

/**
 * The templates that a claim's instance types need. Types that none of the class's images is for are
 * left out.
 *
 * @throws UserDataError - the user's own user data cannot be read
 */
export function templateGroups(
  claim: NodeClaim,
  from: TemplateClass,
  nodeClass: EC2NodeClass,
  capacityType: CapacityType,
  types: readonly InstanceType[],
  reservation?: TemplateVariant['reservation'],
): readonly TemplateGroup[] {
  const groups = new Map<string, { variant: TemplateVariant; instanceTypes: string[] }>();
  for (const type of types) {
    const variant = variantOf(claim, from, type);
    if (!variant) continue;
    const key = JSON.stringify(variant);
    const group = groups.get(key) ?? { variant, instanceTypes: [] };
    group.instanceTypes.push(type.name);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ variant, instanceTypes }) => ({
    content: templateContent(claim, from, nodeClass, capacityType, {
      ...variant,
      ...(reservation && { reservation }),
    }),
    instanceTypes,
  }));
}

function variantOf(
  claim: NodeClaim,
  { images }: TemplateClass,
  { labels, capacity, reserves }: InstanceType,
): TemplateVariant | undefined {
  const image = imageFor(images, labels);
  if (!image) return undefined;
  const wantsEfa = (claim.requests[EFA] ?? 0) > 0;
  return {
    imageId: image.id,
    maxPods: capacity[PODS] ?? 0,
    efaCount: wantsEfa ? (capacity[EFA] ?? 0) : 0,
    ...(reserves && { reserves }),
  };
}
