import type { InstanceType } from '../model/instance-type.ts';
import { type LearnedSize, withSize } from '../model/learned-sizes.ts';
import type { Launch, NodeClaim } from '../model/node-claim.ts';
import type { NodePool } from '../model/node-pool.ts';
import type { Clock } from '../ports/ports.ts';
import type { Cloud } from '../ports/cloud.ts';
import type { LearnedSizes } from '../ports/learned-state.ts';

/** Of every simulated node. */
const IMAGE = 'ami-simulated';

/** The same EC2, which counts with what nodes have shown as soon as one has. */
export function learningCloud(cloud: Cloud, sizes: LearnedSizes, clock: Clock): Cloud {
  return {
    ...cloud,
    async catalogue(pools, overlays) {
      const [catalogue, learned] = await Promise.all([
        cloud.catalogue(pools, overlays),
        sizes.list(clock.now()),
      ]);
      if (learned.length === 0) return catalogue;
      const entries = pools.map(({ name, nodeClass }) => {
        const types = catalogue.instanceTypes[name] ?? [];
        return [name, types.map((type) => sized(type, nodeClass.name, learned))] as const;
      });
      return { ...catalogue, instanceTypes: Object.fromEntries(entries) };
    },
    async launch(request) {
      const answer = await cloud.launch(request);
      const [claim] = request.claims;
      return claim ? { ...answer, launches: answer.launches.map(knownAs(claim)) } : answer;
    },
  };
}

/** What its node shows is remembered for others of its class. */
const knownAs =
  ({ nodeClass }: NodeClaim) =>
  (launch: Launch): Launch => ({ ...launch, imageId: IMAGE, setup: nodeClass.name });

function sized(
  type: InstanceType,
  setup: NodePool['nodeClass']['name'],
  learned: readonly LearnedSize[],
): InstanceType {
  const size = learned.find((one) => one.instanceType === type.name && one.setup === setup);
  return size ? withSize(type, size) : type;
}
