import { computeSize } from '../../../api/cel/kubelet-cel.ts';
import { EC2_TYPES } from '../../../ec2/catalogue/ec2-types.ts';
import { toNodeSize } from '../../../ec2/catalogue/effective-kubelet.ts';
import type { TypeSettings } from '../../../ec2/catalogue/instance-types.ts';
import type { DecisionSettings } from '../../../model/settings.ts';
import type { ClassPorts } from '../../../ports/ports.ts';

/** How types are reckoned, by what people have set. */
export const toTypeSettings = ({
  sizes,
  gates,
}: Pick<DecisionSettings, 'sizes' | 'gates'>): TypeSettings => ({
  ...sizes,
  ...(gates.NodeClassCEL && { compute: computeSize }),
});

/** What expressions are judged by; nothing while the gate is off. */
export const toNodeSizes = ({
  sizes: { reservedEnis },
  gates,
}: Pick<DecisionSettings, 'sizes' | 'gates'>): Pick<ClassPorts, 'nodeSizes'> =>
  gates.NodeClassCEL
    ? {
        nodeSizes: (nodeClass) =>
          EC2_TYPES.map((type) => toNodeSize(type, nodeClass, reservedEnis)),
      }
    : {};
