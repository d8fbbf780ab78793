import type { Labels } from '../../model/labels.ts';
import type { NodeClassState } from '../../model/nodes/drift.ts';
import type { Launch } from '../../model/nodes/node-claim.ts';
import type { NodeImage } from '../../model/nodes/resolved-node-class.ts';
import { matchesLabels, toRequirements } from '../../model/requirements/requirements.ts';

/** The image that a new node with these type labels gets. */
export const findNodeImage = ({ images }: Pick<NodeClassState, 'images'>, labels: Labels): NodeImage | undefined =>
  images.find(({ requirements }) => matchesLabels(toRequirements(requirements), labels));

/** Version (image and NodeClass hash) that a new node with these type labels gets. */
export const computeCurrentVersion = (nodeClass: NodeClassState, labels: Labels): string =>
  formatVersion(findNodeImage(nodeClass, labels)?.id, nodeClass.hash);

/** Versions that new nodes of any type can get. */
export const listCurrentVersions = ({ images, hash }: NodeClassState): readonly string[] =>
  images.map(({ id }) => formatVersion(id, hash));

/** The version that a node was launched with; `undefined` if the record lacks image or hash. */
export const versionOfLaunch = ({ imageId, nodeClassHash }: Launch): string | undefined =>
  imageId === undefined || nodeClassHash === undefined ? undefined : formatVersion(imageId, nodeClassHash);

const formatVersion = (imageId = 'no image', hash: string): string => `${imageId}/${hash}`;
