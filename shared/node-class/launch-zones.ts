import type { NodeClassResolution } from '../model/resolved-node-class.ts';

/** Zones where a node of the class finds a subnet that has an address left for it, sorted. */
export const launchZones = ({
  subnets,
}: Pick<NodeClassResolution, 'subnets'>): readonly string[] => {
  const free = subnets.filter(({ freeAddresses }) => freeAddresses > 0);
  return [...new Set(free.map(({ zone }) => zone))].toSorted();
};
