import type { NodeClassResolution } from '../../model/resolved-node-class.ts';

/** Zones of which every subnet of the class is full, sorted: nothing is launched there. */
export const fullZones = (resolved: Pick<NodeClassResolution, 'subnets'>): readonly string[] => {
  const open = new Set(launchZones(resolved));
  const all = new Set(resolved.subnets.map(({ zone }) => zone));
  return [...all].filter((zone) => !open.has(zone)).toSorted();
};

/** Zones where a node of the class finds a subnet that has an address left for it, sorted. */
export const launchZones = ({
  subnets,
}: Pick<NodeClassResolution, 'subnets'>): readonly string[] => {
  const free = subnets.filter(({ freeAddresses }) => freeAddresses > 0);
  return [...new Set(free.map(({ zone }) => zone))].toSorted();
};
