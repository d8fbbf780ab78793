import type { Cloud } from '../../ports/cloud.ts';
import { createCatalogueReader } from './catalogue/ec2-catalogue.ts';
import { ec2Impairments } from './instances/ec2-impairments.ts';
import { ec2Instances } from './instances/ec2-instances.ts';
import { type LaunchParts, type LaunchSettings, launchInstances } from './launch/launch-instances.ts';
import { withOverlayPrices } from './prices/overlay-prices.ts';
import { recentAnswers } from './short-cache.ts';

/**
 * EC2 in one region, for one cluster: only what carries its tags is seen. What a plan was made of is
 * read for it anew; the launches that follow at once read nothing of it again.
 */
export function ec2Cloud(parts: LaunchParts, settings: LaunchSettings): Cloud {
  const { clock, log, market } = parts;
  const instances = ec2Instances(parts.ec2, settings.cluster);
  const classes = recentAnswers(parts.findNodeClass, clock);
  const sizes = recentAnswers(() => parts.learnedSizes.list(clock.now()), clock);
  const dry = recentAnswers(() => parts.unavailableOfferings.list(clock.now()), clock);
  const readCatalogue = createCatalogueReader(classes.recent, settings.region, settings.types);
  const launchParts: LaunchParts = {
    ...parts,
    findNodeClass: classes.recent,
    learnedSizes: { list: () => sizes.recent(ALL) },
    unavailableOfferings: { list: () => dry.recent(ALL) },
  };

  return {
    async catalogue(pools, overlays) {
      const now = clock.now();
      const names = new Set(pools.map(({ nodeClass }) => nodeClass.name));
      const [prices, learned] = await Promise.all([
        market.current(),
        sizes.fresh(ALL),
        ...[...names].map(classes.fresh),
      ]);
      return readCatalogue(pools, withOverlayPrices(prices, overlays), learned, now);
    },
    async launch(request) {
      try {
        return await launchInstances(launchParts, instances, settings, request);
      } finally {
        // It has taken addresses, or found that there are none.
        classes.forget();
        dry.forget();
      }
    },
    instances: instances.list,
    instance: instances.get,
    impairments: ec2Impairments(parts.ec2, log),
    nameInstance: instances.name,
    terminate: instances.terminate,
  };
}

/** The one key of a question about everything. */
const ALL = '';
