import { canonicalText } from '../../api/static-hash.ts';
import type { Labels } from '../../model/labels.ts';
import type { NodeImage } from '../../model/nodes/resolved-node-class.ts';
import { matchesLabels, toRequirements } from '../../model/requirements/requirements.ts';

/** The order that a class's images stand in: newest first. */
const compareByAge = (a: NodeImage, b: NodeImage): number =>
  b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1);

/** Of images for the same instance types one is used: the best of them. */
export function selectImages(candidates: readonly NodeImage[]): readonly NodeImage[] {
  const best = new Map<string, NodeImage>();
  for (const image of candidates) {
    const key = canonicalText(image.requirements);
    const other = best.get(key);
    if (!other || isBetter(image, other)) best.set(key, image);
  }
  return [...best.values()].toSorted(compareByAge);
}

/** One that is in use before a deprecated one, then the newer, then the greater name. */
function isBetter(image: NodeImage, other: NodeImage): boolean {
  if (image.deprecated !== other.deprecated) return other.deprecated;
  if (image.createdAt !== other.createdAt) return image.createdAt > other.createdAt;
  return image.name > other.name;
}

/** The image that an instance type with these labels starts from. Absent: none is for it. */
export const findImage = (images: readonly NodeImage[], labels: Labels): NodeImage | undefined =>
  images.find(({ requirements }) => matchesLabels(toRequirements(requirements), labels));
