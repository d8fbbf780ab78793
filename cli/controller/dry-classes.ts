import type { ClassPorts } from '../../shared/ports/ports.ts';

/** Stands for an instance profile that would have been made. */
const NOT_MADE = 'not-made';

/**
 * Finds out what EC2NodeClasses stand for, and makes nothing and shows nothing.
 *
 * @param real - its records are written: they must be in memory
 */
export const dryClasses = ({ objects, resources, ...others }: ClassPorts): ClassPorts => ({
  ...others,
  objects: {
    list: () => objects.list(),
    change: async (object, change) => ({ ...object, ...change }),
    writeStatus: async () => {},
  },
  resources: {
    subnets: (terms) => resources.subnets(terms),
    securityGroups: (terms) => resources.securityGroups(terms),
    images: (spec, version, now) => resources.images(spec, version, now),
    reservations: (terms, now) => resources.reservations(terms, now),
    placementGroup: (selector) => resources.placementGroup(selector),
    instanceProfile: async (_, spec) => spec.instanceProfile ?? NOT_MADE,
    release: async () => {},
    sweepTemplates: async () => {},
    sweepProfiles: async () => {},
  },
});
