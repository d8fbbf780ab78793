import { listOf, object, oneOf } from '../schema/fields.ts';
import { instant, taintKey, taintValue } from './scalars.ts';

export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

export const taints = (description: string) =>
  listOf(
    description,
    object('A taint. Pods that do not tolerate it are not scheduled to the node.', {
      required: {
        key: taintKey('The taint that pods tolerate by this name.'),
        effect: oneOf('Effect on pods that do not tolerate the taint.', TAINT_EFFECTS),
      },
      optional: {
        value: taintValue('The value that goes with the key.'),
        timeAdded: instant('Time at which the taint was added. It has no effect here.'),
      },
    }),
    { listType: 'atomic' },
  );
