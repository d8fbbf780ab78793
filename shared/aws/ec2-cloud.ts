import type { Cloud } from '../ports/cloud.ts';
import { createCatalogueReader } from './ec2-catalogue.ts';
import { ec2Impairments } from './ec2-impairments.ts';
import { ec2Instances } from './ec2-instances.ts';
import { type LaunchParts, type LaunchSettings, launchInstances } from './ec2-launch.ts';
import type { Log } from './log.ts';
import { withOverlayPrices } from './overlay-prices.ts';

export interface Ec2CloudParts extends LaunchParts {
  readonly log: Log;
}

/** EC2 in one region, for one cluster: only what carries its tags is seen. */
export function ec2Cloud(parts: Ec2CloudParts, settings: LaunchSettings): Cloud {
  const instances = ec2Instances(parts.ec2, settings.cluster);
  const readCatalogue = createCatalogueReader(parts.findNodeClass, settings.region, settings.types);

  return {
    async catalogue(pools, overlays) {
      const now = parts.clock.now();
      const [prices, sizes] = await Promise.all([
        parts.market.current(),
        parts.learnedSizes.list(now),
      ]);
      return readCatalogue(pools, withOverlayPrices(prices, overlays), sizes, now);
    },
    launch: (request) => launchInstances(parts, instances, settings, request),
    instances: instances.list,
    instance: instances.get,
    impairments: ec2Impairments(parts.ec2, parts.log),
    nameInstance: instances.name,
    terminate: instances.terminate,
  };
}
