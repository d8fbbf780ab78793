import type { Cloud } from '../ports/cloud.ts';
import { createCatalogueReader } from './ec2-catalogue.ts';
import { ec2Instances } from './ec2-instances.ts';
import { type LaunchParts, type LaunchSettings, launchInstance } from './ec2-launch.ts';

/** EC2 in one region, for one cluster: only what carries its tags is seen. */
export function ec2Cloud(parts: LaunchParts, settings: LaunchSettings): Cloud {
  const instances = ec2Instances(parts.ec2, settings.cluster);
  const readCatalogue = createCatalogueReader(parts.findNodeClass);

  return {
    catalogue: async (pools) => readCatalogue(pools, await parts.market.current()),
    launch: (claim) => launchInstance(parts, instances, settings, claim),
    async launchAll({ claims }) {
      const outcomes = await Promise.all(
        claims.map((claim) => launchInstance(parts, instances, settings, claim)),
      );
      return {
        launches: outcomes.flatMap((one) => (one.outcome === 'launched' ? [one.launch] : [])),
        unavailable: outcomes.flatMap(({ unavailable }) => unavailable),
      };
    },
    instances: instances.list,
    instance: instances.get,
    terminate: instances.terminate,
  };
}
