import type { NodeSize } from '../../shared/api/runtime/settings.ts';
import { EC2_TYPES } from '../../shared/catalogue/ec2-types.ts';
import { eniPods } from '../../shared/catalogue/max-pods.ts';

/** What expressions of the kubelet may know of every type of the bundled catalogue. */
export const nodeSizes = (): readonly NodeSize[] =>
  EC2_TYPES.map((type) => ({
    instanceType: type.name,
    vcpus: type.cpu,
    memoryMib: type.memoryMib,
    enis: type.enis,
    ipsPerEni: type.ipv4PerEni,
    maxPods: eniPods(type),
  }));
