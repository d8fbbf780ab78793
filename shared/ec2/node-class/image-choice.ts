import { canonicalText } from '../../api/static-hash.ts';
import type { Labels } from '../../model/labels.ts';
import type { NodeImage } from '../../model/nodes/resolved-node-class.ts';
import { matchesLabels, toRequirements } from '../../model/requirements/requirements.ts';

/** Orders the images of a class newest first. */
const compareByAge = (a: NodeImage, b: NodeImage): number => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1);

/** Selects the best of the images for the same instance types. */
export function selectImages(candidates: readonly NodeImage[]): readonly NodeImage[] {
  const best = new Map<string, NodeImage>();
  for (const image of candidates) {
    const key = canonicalText(image.requirements);
    const other = best.get(key);
    if (!other || isBetter(image, other)) best.set(key, image);
  }
  return [...best.values()].toSorted(compareByAge);
}

/** Prefers images that are not deprecated, then the newer, then the greater name. */
function isBetter(image: NodeImage, other: NodeImage): boolean {
  if (image.deprecated !== other.deprecated) return other.deprecated;
  if (image.createdAt !== other.createdAt) return image.createdAt > other.createdAt;
  return image.name > other.name;
}

/** Returns the image for an instance type with these labels, or undefined if none fits. */
export const findImage = (images: readonly NodeImage[], labels: Labels): NodeImage | undefined =>
  images.find(({ requirements }) => matchesLabels(toRequirements(requirements), labels));
