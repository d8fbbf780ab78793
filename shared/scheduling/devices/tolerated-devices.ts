import type { Device, DeviceTaint } from '../../model/devices.ts';
import { type Taint, type Toleration, tolerates } from '../../model/taints.ts';

/** Whether a request may have a device in spite of its taints. */
export const isTolerated = ({ taints = [] }: Device, tolerations: readonly Toleration[]): boolean =>
  taints.every((taint) => !keepsAway(taint) || tolerations.some((one) => tolerates(one, taint)));

/** The others are only said for people to read. */
const keepsAway = (taint: DeviceTaint): taint is DeviceTaint & Taint =>
  taint.effect === 'NoSchedule' || taint.effect === 'NoExecute';
