import { computeSize } from '../../../api/cel/kubelet-cel.ts';
import { EC2_TYPES } from '../../../ec2/catalogue/ec2-types.ts';
import { toNodeSize } from '../../../ec2/catalogue/effective-kubelet.ts';
import type { TypeSettings } from '../../../ec2/catalogue/instance-types.ts';
import type { DecisionSettings } from '../../../model/settings.ts';
import type { ClassPorts } from '../../../ports/ports.ts';

/** Returns the settings that instance types are computed with. */
export const toTypeSettings = ({ sizes, gates }: Pick<DecisionSettings, 'sizes' | 'gates'>): TypeSettings => ({
  ...sizes,
  ...(gates.NodeClassCEL && { compute: computeSize }),
});

/**
 * Returns the node sizes that kubelet expressions are validated with; empty while the feature gate
 * is off.
 */
export const toNodeSizes = ({
  sizes: { reservedEnis },
  gates,
}: Pick<DecisionSettings, 'sizes' | 'gates'>): Pick<ClassPorts, 'nodeSizes'> =>
  gates.NodeClassCEL
    ? {
        nodeSizes: (nodeClass) => EC2_TYPES.map((type) => toNodeSize(type, nodeClass, reservedEnis)),
      }
    : {};
