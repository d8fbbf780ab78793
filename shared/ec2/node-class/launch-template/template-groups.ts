import type { NodeClaim } from '../../../model/nodes/node-claim.ts';
import type { EC2NodeClass } from '../../../model/nodes/node-class.ts';
import type { CapacityType, InstanceType } from '../../../model/offerings/instance-type.ts';
import { PODS } from '../../../model/resources.ts';
import { findImage } from '../image-choice.ts';
import {
  buildTemplateContent,
  type TemplateClass,
  type TemplateContent,
  type TemplateVariant,
} from './template-content.ts';

/** Instance types that share a template. */
export interface TemplateGroup {
  readonly content: TemplateContent;
  readonly instanceTypes: readonly string[];
}

const EFA = 'vpc.amazonaws.com/efa';

/**
 * Groups a claim's instance types by the launch templates that they need. Types without an image
 * are left out.
 *
 * @throws UserDataError - the custom user data cannot be parsed
 */
export function groupByTemplate(
  claim: NodeClaim,
  from: TemplateClass,
  nodeClass: EC2NodeClass,
  capacityType: CapacityType,
  types: readonly InstanceType[],
  reservation?: TemplateVariant['reservation'],
): readonly TemplateGroup[] {
  const groups = new Map<string, { variant: TemplateVariant; instanceTypes: string[] }>();
  for (const type of types) {
    const variant = toVariant(claim, from, type);
    if (!variant) continue;
    const key = JSON.stringify(variant);
    const group = groups.get(key) ?? { variant, instanceTypes: [] };
    group.instanceTypes.push(type.name);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ variant, instanceTypes }) => ({
    content: buildTemplateContent(claim, from, nodeClass, capacityType, {
      ...variant,
      ...(reservation && { reservation }),
    }),
    instanceTypes,
  }));
}

function toVariant(
  claim: NodeClaim,
  { images }: TemplateClass,
  { labels, capacity, reserves }: InstanceType,
): TemplateVariant | undefined {
  const image = findImage(images, labels);
  if (!image) return undefined;
  const wantsEfa = (claim.requests[EFA] ?? 0) > 0;
  return {
    imageId: image.id,
    maxPods: capacity[PODS] ?? 0,
    efaCount: wantsEfa ? (capacity[EFA] ?? 0) : 0,
    ...(reserves && { reserves }),
  };
}
