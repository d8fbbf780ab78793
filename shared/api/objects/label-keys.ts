import { WELL_KNOWN_LABELS } from '../../model/labels.ts';

const PROVIDERS_PREFIX = 'karpenter.k8s.aws/';

/** The labels of the AWS provider that requirements may name; the class's own is stored, unused. */
export const AWS_LABEL_KEYS: readonly string[] = [
  ...[...WELL_KNOWN_LABELS].filter((key) => key.startsWith(PROVIDERS_PREFIX)),
].toSorted();

/** Known only once a node is placed: prices cannot depend on them. */
const OF_PLACEMENT = ['instance-tenancy', 'capacity-reservation-', 'placement-group-'].map(
  (name) => `${PROVIDERS_PREFIX}${name}`,
);

export const OVERLAY_LABEL_KEYS: readonly string[] = AWS_LABEL_KEYS.filter(
  (key) => !OF_PLACEMENT.some((start) => key.startsWith(start)),
);
